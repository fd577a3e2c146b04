// Owns the messages between an agent's thread and the supervisor during a run: plain data both ways.
import type { Failure } from '../base/failures.ts';
import type { OutcomeExitReason } from '../base/outcome.ts';
import type { Message, StopReason, ToolResultBlock } from '../protocol/history.ts';
import type { ModelDelta } from '../protocol/model-messages.ts';
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

/** What all activations of one agent spec share: sent to a worker slot once. Prompts are not sent to threads (W9). */
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
  /** The messages before and after its memory in each run (B14, A56). */
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

/** What an agent's activation is started with. */
export type AgentArgs = OwnArgs & { readonly spec: WorkerSpec };

/** Where a parked run continues: its turn, its progress, and the calls that were answered meanwhile. */
export type ResumePoint = {
  readonly runId: string;
  readonly turn: number;
  /** Of the calls that had begun, which come first: one each, in their order. */
  readonly results: readonly ToolResultBlock[];
  /** Calls that the host answered while the run was parked: no hook has received their results yet. */
  readonly answered: readonly string[];
  readonly progress: RunProgress;
  /** Where its own messages begin in what it is handed as memory. */
  readonly begins: number;
  /** Its conversation was shortened before, which happens once in a run. */
  readonly isShortened: boolean;
  /** It was interrupted while it was parked: its activation only has to end it. */
  readonly interrupted?: Failure;
  /** Steering messages that arrived while it was parked. */
  readonly steers?: readonly Steer[];
  /** It pauses before its next model call. */
  readonly isPaused?: boolean;
};

/** The mail of an agent: one run. */
export type RunRequest = {
  readonly type: 'run';
  readonly runId: string;
  readonly messages: readonly Message[];
  /** Steering messages that arrived before it began. */
  readonly steers?: readonly Steer[];
};

/** Control messages, ahead of mail. */
export type AgentControl =
  | { readonly type: 'tool_timeout'; readonly callId: string; readonly timeoutMs: number }
  /** The run was interrupted: if its message has not come yet, it ends without another turn (S8). */
  | { readonly type: 'cancel'; readonly runId: string; readonly reason: string }
  | { readonly type: 'park' }
  | SteerControl;

/** What a thread reports of its run. It never reports the tokens of its model: the gateway counts them. */
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
  /** The loop itself added a user message. */
  | { readonly type: 'prompted'; readonly turn: number; readonly message: Message }
  /** A steering message is in the conversation now, ahead of the model call of this turn (M2). */
  | {
      readonly type: 'steered';
      readonly turn: number;
      readonly id: string;
      readonly message: Message;
    }
  /** `paused`: the run stopped before its next turn. `went_on`: it was resumed, or interrupted. */
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
  /** The run had continued when the request to park it arrived. */
  | { readonly type: 'park_refused' }
  /** A hook failed that cannot change how the run ends. */
  | { readonly type: 'hook_failed'; readonly failure: Failure }
  | { readonly type: 'run_ended'; readonly runId: string; readonly end: RunEnd };
