// Owns what an agent's thread tells the supervisor while it runs, and what it is told: plain data both ways.
import type { Failure } from '../base/failures.ts';
import type { OutcomeExitReason } from '../base/outcome.ts';
import type { Message, ModelDelta, StopReason, ToolResultBlock } from '../models/model.ts';
import type { ToolDescription } from '../tools/tool.ts';
import type { Shortening } from './compaction.ts';
import type { PlannedHooks } from './hooks.ts';
import type { LoopSettings } from './loop-settings.ts';
import type { MemoryLimits } from './memory-window.ts';
import type { Preamble } from './prompt/preamble.ts';
import type { Outputs, RunProgress } from './required-outputs.ts';
import type { Steer, SteerControl } from './run-control.ts';
import type { ToolSettings } from './tool-settings.ts';

/** How a run ended, as its own thread saw it. */
export type RunEnd = {
  readonly exitReason: OutcomeExitReason;
  readonly text: string;
  readonly error?: Failure | undefined;
};

/** Where a granted tool runs. */
export type GrantedTool = ToolDescription & { readonly where: 'thread' | 'host' };

/** What every activation of one plan has in common: it crosses to a slot once. Its prompt does not: no thread names it (W9). */
export type WorkerSpec = {
  /** The effective tools, in their stable order. */
  readonly tools: readonly GrantedTool[];
  /** Modules whose exported tools the granted thread tools are taken from. */
  readonly toolModules: readonly string[];
  /** Built-in toolsets, by name. */
  readonly toolsets: readonly string[];
  readonly workspace: string;
  readonly toolSettings: ToolSettings;
  readonly maxTurns: number;
  /** Variables a run has to emit before it ends (B15 to B22). */
  readonly outputs?: Outputs;
  /** The tool whose arguments are the answer, and how often a wrong one may be corrected (D19). */
  readonly answer?: { readonly tool: string; readonly maxCorrections: number };
  /** What stands around its memory in each run (B14, A56). */
  readonly opening?: Preamble;
  readonly memory?: MemoryLimits;
  /** What is called around its runs, in this order; missing when nothing is. */
  readonly hooks?: readonly PlannedHooks[];
} & Omit<LoopSettings, 'maxCorrections'>;

/** What is an agent's own. */
export type OwnArgs = {
  readonly agent: {
    readonly id: string;
    readonly name: string;
    readonly path: string;
    readonly depth: number;
  };
  /** What it remembers from earlier runs. */
  readonly memory: readonly Message[];
  /** A task's agent ends with its run; a spawned one waits for the next. */
  readonly endsWithRun: boolean;
  /** A parked run continues here (V7). */
  readonly resume?: ResumePoint;
};

/** What an agent's life is started with. */
export type AgentArgs = OwnArgs & { readonly plan: WorkerSpec };

/** Where a parked run stood: its messages, its turn, and the calls that were answered meanwhile. */
export type ResumePoint = {
  readonly runId: string;
  readonly turn: number;
  /** Of the calls that had begun, which come first: one each, in their order. */
  readonly results: readonly ToolResultBlock[];
  /** Calls that the host answered while nobody asked: no hook was told of their results. */
  readonly answered: readonly string[];
  readonly progress: RunProgress;
  /** Where its own messages begin in what it is handed as memory. */
  readonly begins: number;
  /** It made room in its model's window before: it does so once. */
  readonly isShortened: boolean;
  /** It was interrupted while it was parked: its activation only has to end it. */
  readonly interrupted?: Failure;
  /** What was said to it while it was parked. */
  readonly steers?: readonly Steer[];
  /** It is to hold before its next model call. */
  readonly isPaused?: boolean;
};

/** The mail of an agent: one run. */
export type RunRequest = {
  readonly type: 'run';
  readonly runId: string;
  readonly messages: readonly Message[];
  /** What was said to it before it began. */
  readonly steers?: readonly Steer[];
};

/** Control messages, ahead of mail. */
export type AgentControl =
  | { readonly type: 'tool_timeout'; readonly callId: string; readonly timeoutMs: number }
  /** The run was interrupted: if its message has not come yet, it ends without another turn (S8). */
  | { readonly type: 'cancel'; readonly runId: string; readonly reason: string }
  | { readonly type: 'park' }
  | SteerControl;

/** What a thread says of its run. What its model took is never among it: the gateway counts that. */
export type RunEvent =
  | { readonly type: 'turn_started'; readonly turn: number }
  | { readonly type: 'model_delta'; readonly delta: ModelDelta }
  | {
      readonly type: 'model_response';
      readonly turn: number;
      readonly message: Message;
      readonly model: string;
      readonly stopReason: StopReason;
    }
  /** A call took tokens and has no response. */
  | { readonly type: 'model_broke_off'; readonly turn: number }
  | {
      readonly type: 'tool_started';
      readonly turn: number;
      readonly callId: string;
      readonly name: string;
      readonly where: 'thread' | 'host';
    }
  | {
      readonly type: 'tool_progress';
      readonly callId: string;
      readonly fraction: number;
      readonly note?: string | undefined;
    }
  | {
      readonly type: 'tool_completed';
      readonly callId: string;
      readonly name: string;
      readonly isError: boolean;
      readonly failure?: Failure | undefined;
    }
  | { readonly type: 'touched'; readonly path: string }
  | { readonly type: 'tool_results'; readonly turn: number; readonly message: Message }
  /** The loop itself said something to the model. */
  | { readonly type: 'prompted'; readonly turn: number; readonly message: Message }
  /** Words from outside are in the conversation now, ahead of the model call of this turn (M2). */
  | {
      readonly type: 'steered';
      readonly turn: number;
      readonly id: string;
      readonly message: Message;
    }
  /** It was paused and has come to the end of a turn; and it was resumed, or interrupted. */
  | { readonly type: 'paused' }
  | { readonly type: 'went_on' }
  /** The model's window was full: this was done to the conversation before it was asked again. */
  | { readonly type: 'shortened'; readonly turn: number; readonly shortening: Shortening }
  /** A variable has this value now. */
  | { readonly type: 'emitted'; readonly name: string; readonly value: string }
  | {
      readonly type: 'run_parked';
      readonly turn: number;
      /** How many calls of the turn had begun; those after them begin when these have ended. */
      readonly begun: number;
      readonly results: readonly ToolResultBlock[];
      readonly progress: RunProgress;
    }
  /** The run had gone on when the wish to park it arrived. */
  | { readonly type: 'park_refused' }
  /** A hook failed that cannot change how the run ends. */
  | { readonly type: 'hook_failed'; readonly failure: Failure }
  | { readonly type: 'run_ended'; readonly runId: string; readonly end: RunEnd };
