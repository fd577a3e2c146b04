// Owns what a tool is: plain data with a tag, so that it is recognised across module copies and threads.
import type { Outcome } from '../base/outcome.ts';
import type { ImageBlock, TextBlock } from '../protocol/history.ts';
import type { BackgroundTask } from '../protocol/host-services.ts';
import type { SteerReceipt } from '../protocol/steer-receipt.ts';
import type { ToolsetName } from './toolset-name.ts';

/** Any schema of the Standard Schema family that can also print itself as JSON Schema: zod 4.2 and later. */
export type InputSchema<Input = unknown> = {
  /** The members that Standard Schema and its JSON Schema extension define. */
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): SchemaResult<Input> | Promise<SchemaResult<Input>>;
    readonly types?: { readonly input: unknown; readonly output: Input } | undefined;
    readonly jsonSchema?: {
      input(options: { readonly target: 'draft-2020-12' }): Record<string, unknown>;
    };
  };
};

/** Why a value does not fit a schema. */
export type SchemaIssue = {
  /** What is wrong, for the model to read. */
  readonly message: string;
  /** Where: keys from the outermost in. Absent for the value itself. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};

/** The value as the schema made it, or why it does not fit. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** An agent given in place, checked as any definition is; its fields are those of `AgentDefinition`. */
export type InlineAgent = {
  /** What the agent is called in paths, events and outcomes. */
  readonly name: string;
  readonly [field: string]: unknown;
};

/** A task that a tool hands over in its agent's name. */
export type Subtask = {
  /** What the agent is to do; not blank. */
  readonly goal: string;
  /** What it needs to know, sent with the goal. */
  readonly context?: string;
  /** Images, and texts between them, sent after the goal. */
  readonly content?: readonly (TextBlock | ImageBlock)[];
  /** A defined agent's name; from a tool of the service also a definition. */
  readonly agent?: string | InlineAgent;
  /** The agent's name in paths and events. */
  readonly name?: string;
  /** Names of toolsets, beside those of the definition. */
  readonly toolsets?: readonly ToolsetName[];
  /** Responses of its model. Default: the definition's, then the supervisor's. */
  readonly maxTurns?: number;
  /** The shape of its answer, which comes back as `structured`; from a tool of the service only. */
  readonly outputSchema?: InputSchema;
  /** The messages of earlier runs, placed ahead of this run's. */
  readonly history?: readonly object[];
  /** The id of an ended task that this agent delegated: its conversation goes on with this goal, as that of `Task.continues`. */
  readonly continues?: string;
  /** Plain data that comes back with the outcome. Default: `{}`. */
  readonly metadata?: Readonly<Record<string, unknown>>;
};

/**
 * Tasks that go on while the agent does something else. They end with its run (scope `run`), or, from a loop of the
 * program, with the session. A result that no call waited for becomes a message in the run's conversation, once.
 */
export type BackgroundTasks = {
  /**
   * Starts a task in the agent's name and resolves with its id. Rejects what is wrong with it, a limit it meets, and
   * `duplicate_task` while a task with the same goal, context, agent and name still runs: name it to have it twice.
   */
  start(task: Subtask): Promise<string>;
  /** The running tasks, and the ended ones whose results are not acknowledged. */
  list(): Promise<readonly BackgroundTask[]>;
  /** Resolves with the outcome, or with null when `timeoutMs` is over first. Waiting changes nothing. Rejects `unknown_task`. */
  wait(taskId: string, options?: { readonly timeoutMs?: number }): Promise<Outcome | null>;
  /** Interrupts a task; resolves with its outcome. Rejects `unknown_task`. */
  stop(taskId: string): Promise<Outcome>;
  /**
   * Adds a user message to a task's run, ahead of its next model call. Resolves at once: `queued`, or `undelivered` when the run
   * has ended; `steering_updated` events report what becomes of a queued one.
   * Rejects `unknown_task`, `invalid_options` for a blank text, `mailbox_full` when 64 wait.
   */
  steer(taskId: string, text: string): Promise<SteerReceipt>;
  /** Pauses a task as `TaskHandle.pause` does: it makes no more model calls until `resume`. Rejects `unknown_task`. */
  pause(taskId: string): Promise<void>;
  /** Lets a paused task go on; does nothing for any other. Rejects `unknown_task`. */
  resume(taskId: string): Promise<void>;
  /**
   * Notifies the agent of an event after a call had ended, such as the end of a command: adds a message to its
   * run's conversation ahead of the next model call, kept until it is there. Resolves with false when it cannot
   * be delivered: the run is over, 64 notices wait already, or the loop is the program's own. Rejects `invalid_options`
   * for a blank text.
   */
  notify(text: string): Promise<boolean>;
};

/** Whom an agent can hand work to, and how far: of a loop of the program too, which is at depth 0. */
export type DelegationReach = {
  /** The agent's own depth; 0 for one that the program started. */
  readonly depth: number;
  /** The supervisor's limits; an agent that is `maxSpawnDepth` deep delegates no more. */
  readonly maxSpawnDepth: number;
  /** Tasks of one call, and of all calls of one reply of its model. */
  readonly maxConcurrentChildren: number;
  /** False for a leaf, and at the depth limit. */
  readonly mayDelegate: boolean;
  /** The supervisor's agents, those alone that it may delegate to. */
  readonly agents: readonly { readonly name: string; readonly description?: string | undefined }[];
  /** Names it may delegate to; a delegation without a name is refused then. Undefined for any. */
  readonly delegates: readonly string[] | undefined;
};

/** Limits of one delegating tool. */
export type DelegateBounds = {
  /** Tasks of one call, and of all calls of one reply of the agent's model. */
  readonly maxConcurrentChildren?: number | undefined;
};

/** What a tool's code is handed beside its input. */
export type ToolContext = {
  /** Aborted with a `TroupeError` as its reason when the run is interrupted or the tool's time is over. */
  readonly signal: AbortSignal;
  /** True once an interrupt arrived; cheap, and works in a loop that never awaits. */
  interrupted(): boolean;
  /** The agent that calls: its id, its definition's name, its path in the tree, and its depth, 0 for a root. */
  readonly agent: {
    readonly id: string;
    readonly name: string;
    readonly path: string;
    readonly depth: number;
  };
  /** Reports progress, from 0 to 1; counts as activity for the idle clock. */
  progress(fraction: number, note?: string): void;
  /** Reports that the tool is alive; resets the idle timeout and nothing else. */
  heartbeat(): void;
  /**
   * Records that the tool created or changed this file, relative to the workspace; it reaches `Outcome.filesTouched`, which
   * lists 10,000 of a run: a `log` event reports when there are more. Throws `invalid_options` for no text, an empty
   * one, or one of more than 4,096 characters.
   */
  recordFile(path: string): void;
  /** The folder the agent works in, absolute. */
  readonly workspace: string;
  /** The model's id of this call. */
  readonly callId: string;
  /** Names the model's response that asked for this call: the run's id, `#`, the turn from 0. */
  readonly promptId: string;
  /**
   * Hands tasks to children of this agent and resolves with their outcomes, in order; it never rejects for what became
   * of them. They end with this call. A tool of the service that waits here lets its agent give its thread up.
   * `bounds` narrow the supervisor's limits for what it delegates; a tool in a thread has the supervisor's alone.
   */
  delegate(tasks: readonly Subtask[], bounds?: DelegateBounds): Promise<readonly Outcome[]>;
  /** Tasks that go on after this call. */
  readonly background: BackgroundTasks;
  /**
   * Waits for what the supervisor ends in any case, such as another task: an agent whose every call waits like that may
   * give its thread up meanwhile. A tool in a thread keeps its thread.
   */
  suspendWhile<Value>(work: Promise<Value>): Promise<Value>;
  /**
   * Waits for the answer of a person: meanwhile no time of the run passes, neither idle nor total, nor that of this call, nor that
   * of the runs above; after `timeouts.approvalTimeoutMs` it passes again. The agent may give its thread up meanwhile. Comes to
   * what `answer` comes to; rejects with the reason of `signal` when that aborts first, and always in a tool in a thread: the
   * clocks are the service's.
   */
  waitForPerson<Value>(answer: Promise<Value>): Promise<Value>;
  /** The same for every attempt of this call; hand it to a service that can dedupe. */
  readonly idempotencyKey: string;
};

/**
 * What a tool answers: text, content blocks, or a JSON value that is shown as JSON text. Undefined shows as `(no output)`.
 * A tool may be a generator, sync or async: what it yields is progress (a fraction, a note, or `{ fraction, note }`), what it
 * returns is the answer, and where it returns nothing its last progress is.
 */
export type ToolOutput = unknown;

/** A capability with a schema. Made by `defineTool`; recognised by `kind`, never by `instanceof`. */
export type Tool<Input = never> = {
  readonly kind: 'tool';
  /** What a model calls it by; unique among the tools of an agent. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** Replaces the description where the tool is offered: in a run, or a session's toolbox. Default: the description. */
  describeAt?(reach: DelegationReach): string;
  /** The schema of its input, which is checked before each call. */
  readonly input: InputSchema<Input>;
  /** May be run again when a crash left its result unknown. Default false. */
  readonly isIdempotent: boolean;
  /** Milliseconds one call may take; undefined leaves the supervisor's `toolTimeoutMs`. */
  readonly timeoutMs?: number;
  /** From its first call on its agent keeps its thread until its run ends. */
  readonly keepsThread?: true;
  /** Capability tags the resolver can deny as a group. */
  readonly tags: readonly string[];
  /** A person is asked before it runs: always, or when this returns true for the input. */
  readonly needsApproval?: boolean | NeedsApproval<Input>;
  /** What was corrected in its options: a supervisor or a session that is given the tool reports each as a `log` event. */
  readonly corrections?: readonly string[];
  /** Runs the tool on an input that the schema let through. What it throws becomes an error result for the model. */
  run(input: Input, tool: ToolContext): ToolOutput | Promise<ToolOutput>;
};

/** Whether a person has to be asked, by the input the schema let through. */
export type NeedsApproval<Input> = (input: Input) => boolean | Promise<boolean>;

/** A tool of any input, as registries keep it: the input is validated by its own schema before `run`. */
export type AnyTool = Omit<Tool, 'input' | 'run'> & {
  readonly input: InputSchema;
  run(input: never, tool: ToolContext): ToolOutput | Promise<ToolOutput>;
};
