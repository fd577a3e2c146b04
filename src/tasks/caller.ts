// Owns what a task is given beside itself: by its caller, and by the tool call that it came in. Types only.
import type { TaskOrigin } from './state.ts';

/** What a task knows of its caller. */
export type Caller = Pick<TaskOrigin, 'sessionId' | 'signal' | 'job'>;

/** What it knows of the tool call that it came in. */
export type ToolCallFacts = Caller &
  Partial<Pick<TaskOrigin, 'width' | 'ofReply' | 'maxWidth' | 'isBackground'>>;
