// Owns how a run is opened: the message it is sent, and its running copy with the messages that precede it. Pure.
import { fromStored, noPreamble, openConversation } from '../agent/prompt/preamble.ts';
import { taskMessage } from '../agent/prompt/task-message.ts';
import { timeBlock } from '../agent/prompt/time.ts';
import { RunRecord } from '../agent/run/record.ts';
import type { Message } from '../protocol/history.ts';
import type { AgentSpec } from './resolve/agent-spec.ts';
import type { Task } from './task.ts';

export type OpenedRun = {
  readonly prompt: Message;
  readonly record: RunRecord;
  readonly startedAt: number;
};

/** The thread is sent the prompt and puts the same opening around its memory. */
export function openRun(facts: {
  readonly spec: AgentSpec;
  readonly task: Pick<Task, 'goal' | 'context' | 'content' | 'history'>;
  readonly memory: readonly Message[];
  readonly wallTime: number;
  readonly startedAt: number;
}): OpenedRun {
  const { spec, task, memory, wallTime, startedAt } = facts;
  const { goal, context, content } = task;
  const time = spec.timeZone === undefined ? undefined : timeBlock(wallTime, spec.timeZone);
  const prompt = taskMessage({ goal, context, content, time });
  const opening = spec.shared.opening ?? noPreamble;
  const replayed = [...memory, ...fromStored(task.history ?? [])];
  const { messages, begins } = openConversation(opening, replayed, [prompt]);
  return { prompt, record: new RunRecord(messages, begins), startedAt };
}
