// Owns what the agent loop needs of the thread it runs in: a model, host services, modules.
import type { Clock } from '../base/clock.ts';
import type { Message } from '../protocol/history.ts';
import type { HostServiceCalls } from '../protocol/host-services.ts';
import type { ModelResponse, SpentTokens } from '../protocol/model-messages.ts';
import type { WorkerSpec } from '../protocol/worker-spec.ts';
import type { LoadedTools } from './loaded-tools.ts';

/** How a run leaves its thread, when it may. */
export type Leaving = {
  /** Another run needs the thread. */
  isNeeded(): boolean;
  /** Takes one of the places that runs wait for; false when there is none. Asked whenever a run begins to wait. */
  takePlace(): boolean;
  /** Runs leave at every wait, needed or not. */
  isAlwaysNeeded(): boolean;
  /** What the activation has open in the thread beside the calls that its run waits for; empty for nothing. */
  leftBehind(): readonly string[];
  /** A call of the host has not left the thread yet: the supervisor does not know of it. */
  hasUnsent(): boolean;
  /** The activation is over, its run is not (W1). */
  leave(): void;
};

/** A response and what it cost; null where no price is known. */
export type ModelAnswer = { readonly response: ModelResponse; readonly costUsd: number | null };

/** The agent's model; the host adds prompt and tools. Rejects with a `model_`, `script_` or `budget_` `TroupeError`. */
export interface AgentModel {
  /** Messages of the run's conversation that the gateway has from an earlier activation. */
  continueFrom(known: readonly Message[]): void;
  /** How many messages the gateway has that a conversation begins with. */
  knownOf(messages: readonly Message[]): number;
  /** The answer that is awaited goes to the supervisor. False when none is awaited. */
  detach(): boolean;
  request(
    request: {
      readonly turn: number;
      readonly messages: readonly Message[];
      /** Instead of the run's own setting, in this request. */
      readonly toolChoice?: 'auto' | 'none';
    },
    call: {
      readonly signal: AbortSignal;
      /** Receives the tokens that a failed call took and the text that had arrived, before the rejection. */
      readonly onBroken: (spent: SpentTokens | null, streamed: string) => void;
    },
  ): Promise<ModelAnswer>;
}

export type WorkerEnvironment = {
  readonly model: AgentModel;
  /** The services of the host; each call rejects with its failure, or when the activation ends first. */
  readonly host: HostServiceCalls;
  /** The tools and hooks of an agent spec; loaded once per worker slot. */
  loadedOf(spec: WorkerSpec): LoadedTools | Promise<LoadedTools>;
  readonly leaving: Leaving;
  /** Code of a tool or a hook has run in this activation. */
  hasRunCode(): boolean;
  /** Runs the code of a tool or a hook: threads that only wait come first from now on, and its faults are this agent's. */
  runCode<T>(work: () => Promise<T>): Promise<T>;
  /** Code of a tool still runs although its call was given up: until it ends the thread is not clean. */
  abandoned(late: Promise<unknown>): void;
  /** For progress that is reported every few milliseconds; threads keep no policy time. */
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /** Reports that a tool is active, in a shared flag the supervisor reads; works in a loop that never awaits. */
  heartbeat(): void;
};
