// Owns what a task is: the request, its check, and the handle it is followed by.
import { z } from 'zod';
import type { InterruptOptions, InterruptReceipt } from '../actor/ref.ts';
import { measureGiven } from '../actor/serializable.ts';
import { contentSchema } from '../agent/content-schema.ts';
import { copySettings } from '../agent/copy-settings.ts';
import {
  type AgentDefinition,
  agentSchema,
  type ModelRef,
  type RunOptions,
  runFields,
  type ToolReference,
} from '../agent/definition.ts';
import { existingFolder } from '../agent/folder-schema.ts';
import { pairingFault } from '../agent/history-repair.ts';
import { storedMessageSchema } from '../agent/history-schema.ts';
import { fromStored, type StoredMessage } from '../agent/prompt/preamble.ts';
import { TroupeError, toFailure } from '../base/failures.ts';
import { withHints } from '../base/option-faults.ts';
import type { Outcome } from '../base/outcome.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { TroupeEvent } from '../events/event-types.ts';
import type { Budget } from '../protocol/budget.ts';
import type { ImageBlock, TextBlock } from '../protocol/history.ts';
import type { SteerReceipt } from '../protocol/steer-receipt.ts';
import type { ToolSettings } from '../protocol/tool-settings.ts';
import type { ToolsetName } from '../tools/toolset-name.ts';
import { type TaskRetry, taskRetrySchema } from './retry-task.ts';
import type {
  NodeResponse,
  ResponseOptions,
  StreamedText,
  StreamItem,
  StreamResponse,
  TextStreamOptions,
} from './stream-items.ts';

/**
 * A delegated run. Only `goal` is required; what else is set wins over the agent's definition. `Answer` is what its
 * `outputSchema` makes of an answer.
 */
export type Task<Answer = unknown> = ToolSettings & {
  /** What the agent is to do; with `context` and `content` at most 7,500,000 characters. */
  readonly goal: string;
  /** What the agent has to know beside the goal; it sees nothing else of its caller. */
  readonly context?: string;
  /**
   * Images, and texts between them, that follow the goal in its message: `{ type: 'image', source: { type: 'base64',
   * media_type: 'image/png', data } }`, at most 5,000,000 characters of base64 each. Default: none.
   */
  readonly content?: readonly (TextBlock | ImageBlock)[];
  /** A defined agent's name, or a definition. Default: an agent without a prompt of its own. */
  readonly agent?: string | AgentDefinition;
  /** What the agent is called in paths and events; unique among its siblings. Default: made of its agent's name. */
  readonly name?: string;
  /** Default: the definition's, then the caller's, then the supervisor's. */
  readonly model?: ModelRef;
  /** Default: the definition's, which is every tool registered on the supervisor. */
  readonly tools?: readonly ToolReference[];
  /** Names, names with `*`, or `tag:…`; beside those of the definition. Default: none. */
  readonly disallowedTools?: readonly string[];
  /** Names of toolsets, beside those of the definition: `file`, `todo`, `terminal`, `web`, or one of the supervisor's. Default: none. */
  readonly toolsets?: readonly ToolsetName[];
  /** Responses of its model. Default: the definition's, then `budget.maxTurns`, 50. */
  readonly maxTurns?: number;
  /** Tokens one response may have. Default: the definition's, then the model's own. */
  readonly maxOutputTokens?: number;
  /** Milliseconds without any activity. Default: the definition's, then the supervisor's, 600,000. */
  readonly idleTimeoutMs?: number;
  /** Milliseconds the run may take. Default: the definition's, then the supervisor's, which has none. */
  readonly totalTimeoutMs?: number;
  /** The folder its tools work in: absolute, and there. Default: the definition's, then the caller's, then the supervisor's. */
  readonly workspace?: string;
  /** Messages of earlier runs: replayed ahead of this one, before the examples of its agent. Default: none. */
  readonly history?: readonly StoredMessage[];
  /**
   * The id of an ended task: its conversation goes on with this goal, in its agent where that was given by a name and none is set
   * here. Other settings are not kept: set them again. A tool can name what its agent, or its session's loop, delegated. The last 1,000 ended tasks are kept, 64 MiB of them.
   */
  readonly continues?: string;
  /**
   * Runs it again from the start when it fails in a way that a new run can heal: its model failed or answered nothing
   * usable, its thread was lost. Not for an interrupt, a used-up budget or turn limit, a refusal. Default: one run.
   */
  readonly retry?: TaskRetry;
  /**
   * Given again under the same key, it is the task that has it, running or ended: nothing is started. With a journal also after
   * a restart, for as long as outcomes are kept; else as long as ended tasks are. Default: none, each call is a task of its own.
   */
  readonly idempotencyKey?: string;
  /** Plain data that comes back with the outcome. Default: `{}`. */
  readonly metadata?: Readonly<Record<string, unknown>>;
} & RunOptions<Answer>;

/** What a task sets for its agent and its run, whatever its goal. */
export type RunSettings = Omit<
  Task,
  | 'goal'
  | 'context'
  | 'content'
  | 'name'
  | 'history'
  | 'continues'
  | 'metadata'
  | 'retry'
  | 'idempotencyKey'
>;

/** What an agent may be called in paths and events. */
export const nameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'expected letters, digits, _, . and -, at most 64');

/** Messages that a run can go on from. */
export const historySchema = z
  .array(storedMessageSchema)
  .refine((stored) => whyNotSerializable(stored) === null, {
    error: ({ input }) => `expected plain data${whyNotSerializable(input)}`,
    abort: true,
  })
  .refine((stored) => pairingFault(fromStored(stored as readonly StoredMessage[])) === null, {
    error: 'expected every call to have its result in the message after it',
  });

const promptHint =
  'what the agent is to do is `goal`; a system prompt is that of its agent: agent: { name, prompt }';

const taskSchema = z.strictObject(
  {
    goal: z.string().refine((goal) => goal.trim() !== '', 'expected a goal that is not blank'),
    context: z.string().optional(),
    content: contentSchema.optional(),
    agent: z.union([z.string().min(1), agentSchema]).optional(),
    name: nameSchema.optional(),
    workspace: existingFolder.optional(),
    history: historySchema.optional(),
    continues: z.string().min(1).optional(),
    retry: taskRetrySchema.optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    idempotencyKey: z.string().min(1).max(500).optional(),
    ...runFields,
  },
  withHints({
    prompt: promptHint,
    systemPrompt: promptHint,
    instructions: promptHint,
    system: promptHint,
    signal: 'it is given beside the task: delegate(task, { signal })',
    concurrency: 'it is given beside the tasks: map(tasks, { concurrency })',
  }),
);

/** What in it may not cross to a thread, and where; null when all of it may. */
function whyNotSerializable(value: unknown): string | null {
  try {
    measureGiven(value);
    return null;
  } catch (error) {
    const { path, what } = toFailure(error).detail ?? {};
    return `, and ${String(path)} is ${String(what)}`;
  }
}

/**
 * A task as it is now: what its caller changes later is not sent. Throws `invalid_task` naming the field and the value seen.
 */
export function checkTask(value: unknown, index: number): Task {
  const what = index === 0 ? 'task' : `task ${index}`;
  parseOptions(taskSchema, value, what, 'invalid_task');
  checkLength(value as Task, what);
  checkHistory(value as Task, what);
  // The schema mirrors the type; models and tools stay the objects they are.
  return copySettings(value as Task, { what, code: 'invalid_task' });
}

function checkHistory({ history, continues }: Task, what: string): void {
  if (history === undefined || continues === undefined) return;
  const why = 'it takes the conversation of the task that it continues: leave out `history`';
  throw new TroupeError('invalid_task', `${what}: ${why}`, { detail: { field: 'history' } });
}

/** Of goal, context and content: with the text put around them they fit into the mailbox of an agent, of 16 MiB. */
const maxChars = 7_500_000;

function checkLength({ goal, context = '', content = [] }: Task, what: string): void {
  const lengths = { goal: goal.length, context: context.length, content: charsOf(content) };
  if (lengths.goal + lengths.context + lengths.content <= maxChars) return;
  const sizes = Object.entries(lengths).filter(([, length]) => length > 0);
  const [field] = sizes.toSorted(([, a], [, b]) => b - a)[0] ?? ['goal'];
  const formatted = (count: number): string => count.toLocaleString('en-US');
  const seen = sizes.map(([name, length]) => `${name} has ${formatted(length)}`);
  throw new TroupeError(
    'invalid_task',
    `${what}: ${seen.join(' and ')} characters: there is room for ${formatted(maxChars)} together; put what is longer into a file that the agent reads`,
    { detail: { field } },
  );
}

function charsOf(content: NonNullable<Task['content']>): number {
  return content.reduce(
    (sum, block) => sum + (block.type === 'text' ? block.text : block.source.data).length,
    0,
  );
}

/**
 * `queued`: it waits until it may be live. `ready`: it waits for a thread. `running`: its code runs. `waiting`: it waits for its
 * model, host tools, tasks below it, a person, or is paused. The last four are the status of its outcome.
 */
export type TaskStatus =
  | 'queued'
  | 'ready'
  | 'running'
  | 'waiting'
  | 'completed'
  | 'failed'
  | 'interrupted'
  | 'timeout';

/** A task that was submitted. */
export interface TaskHandle<Answer = unknown> {
  /** Names the task in events and outcomes. */
  readonly id: string;
  /** Resolves when the task is written down; without a journal at once. Rejects `journal_failed`, `closed` when it never is. */
  accepted(): Promise<void>;
  /** What has become of the task so far. */
  status(): TaskStatus;
  /** The outcome; never rejects. */
  result(): Promise<Outcome<Answer>>;
  /**
   * The outcome was received: the journal need not keep it, unless the task has an `idempotencyKey`. It waits for the end of
   * the task, and resolves when that is written down. Rejects as `accepted` does.
   */
  acknowledge(): Promise<void>;
  /** Ends the run; resolves after the last exit, with a receipt per agent. */
  interrupt(options?: InterruptOptions): Promise<readonly InterruptReceipt[]>;
  /**
   * Pauses the task: a waiting one is skipped in the queue; a running one ends its turn, tools included, and makes no
   * more model calls. Its clocks pause, it keeps its slot; its children go on, an interrupt works at once.
   */
  pause(): void;
  /** Lets a paused task go on; does nothing for any other. */
  resume(): void;
  /**
   * Adds a user message to the run, ahead of its next model call, never between a call and its result. A
   * run that has just given its last answer takes another turn for it, as long as it has one left. See `SteerStatus`
   * for the receipt's status. It resolves once that is known, so a tool of this very run must not await it.
   * Rejects `invalid_options` for a blank text, `mailbox_full` when 64 wait.
   */
  steer(text: string): Promise<SteerReceipt>;
  /** The events of this task and its descendants, from its start. */
  events(): AsyncIterableIterator<TroupeEvent>;
  /**
   * The text of the task as it comes, from this call to the task's end, however it ends: `result()` tells how. With
   * `children`, also that of its descendants, each piece with its task and the agent's path; with `tools`, an item as each
   * tool call begins and one as it ends. An answer of which no text
   * streamed since this call comes as one piece. Leaving the loop does not interrupt the task. Pieces are joined for a slow
   * reader; one that is 4 MiB of text behind gets `mailbox_full`.
   */
  stream(options?: {
    readonly children?: false;
    readonly tools?: false;
  }): AsyncIterableIterator<string>;
  stream(options: {
    readonly children: true;
    readonly tools?: false;
  }): AsyncIterableIterator<StreamedText>;
  stream(options: {
    readonly children?: boolean;
    readonly tools: true;
  }): AsyncIterableIterator<StreamItem>;
  /** The text of `stream()` as UTF-8, for the body of a `Response`. Cancelling it interrupts the task, by default. */
  toReadableStream(options?: TextStreamOptions): ReadableStream<Uint8Array>;
  /**
   * A response of server-sent events, their data JSON: `text`, `tool_started`, `tool_completed`, and at the end `outcome`,
   * or `error` for a reader that fell behind. Cancelling its body interrupts the task, by default.
   */
  toSSEResponse(options?: ResponseOptions): StreamResponse;
  /**
   * Sends the same to a response of Node's `http`, its head included. Resolves when all is sent, or the reader has left, which
   * interrupts the task by default; never rejects for a reader. Rejects `invalid_options` for what is no such response, or one
   * whose head is sent.
   */
  pipeSSE(response: NodeResponse, options?: ResponseOptions): Promise<void>;
}

/** How a task that is handed over can be ended from outside. */
export type StartOptions = {
  /** Aborting it interrupts the runs, scope `run`. */
  readonly signal?: AbortSignal;
};

/** What holds for the tasks of one call. */
export type DelegateOptions = StartOptions & {
  /** What all of them may use together, with all that they delegate. A task that meets it fails, `budget` or `max_turns`. */
  readonly budget?: Budget;
};
