// Owns what the scheduler decides about: the closed list of its messages.
import type { Cell } from '../actor/cell.ts';
import type { Exit } from '../actor/exit.ts';
import type { Failure } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import type { Metered } from '../models/budget/meter.ts';
import type { FromGateway, StreamedDelta } from '../protocol/model-messages.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { Delivery } from './delivery.ts';
import type { AfterWrite } from './effect.ts';
import type { Fired } from './end-cause.ts';
import type { Ending } from './ending.ts';
import type { RunEntry } from './journal/run-entry.ts';
import type { SessionChange } from './journal/stored-session.ts';
import type { LoadedAgent } from './journal/written-agent.ts';
import type { WriteWaiter } from './journal/written-task.ts';
import type { EndOfWaiting } from './refusals.ts';
import type { AgentSpec } from './resolve/agent-spec.ts';

import type { Agent, Run, TaskRecord } from './state.ts';
import type { ThreadDemand } from './thread-use.ts';

/** A run that an earlier process had accepted, and why it cannot go on; null when it can. */
export type FoundRun = { readonly task: TaskRecord; readonly why: Failure | null };

export type SchedulerMessage =
  // The program, or a tool of an agent. `isFrozen`: an interrupt, stop or kill affects the actor that the tasks are below.
  | { readonly type: 'submit'; readonly tasks: readonly TaskRecord[]; readonly isFrozen: boolean }
  | {
      readonly type: 'admit';
      readonly task: TaskRecord;
      readonly spec: AgentSpec;
      readonly isFrozen: boolean;
    }
  /** A task that was given again has ended in an earlier process. */
  | { readonly type: 'found_ended'; readonly task: TaskRecord; readonly outcome: Outcome }
  | { readonly type: 'spawn'; readonly agent: Agent; readonly isLazy: boolean }
  /** A persistent agent of an earlier process, with what it was asked there and has not ended. */
  | {
      readonly type: 'restore_agent';
      readonly agent: Agent;
      readonly runs: readonly FoundRun[];
    }
  | { readonly type: 'ask'; readonly task: TaskRecord; readonly agent: Agent }
  /** The time before the next attempt of a task is over. */
  | { readonly type: 'retry'; readonly task: TaskRecord }
  | { readonly type: 'end_waiting'; readonly task: TaskRecord; readonly end: EndOfWaiting }
  | { readonly type: 'interrupt'; readonly run: Run; readonly ending: Ending }
  | { readonly type: 'end_agent'; readonly agent: Agent; readonly ending: Ending }
  | { readonly type: 'pause' | 'resume' | 'close' }
  | { readonly type: 'pause_task' | 'resume_task'; readonly task: TaskRecord }
  | { readonly type: 'steer'; readonly task: TaskRecord; readonly delivery: Delivery }
  | { readonly type: 'retract'; readonly task: TaskRecord; readonly id: string }
  // What was asked for by an effect.
  /** The outcome of an ended task has been received. */
  | { readonly type: 'acknowledged'; readonly taskId: string; readonly waiter: WriteWaiter | null }
  /** Code waits until all that was decided on before is durable. */
  | { readonly type: 'when_written'; readonly waiter: WriteWaiter }
  /** The board of a session has changed, or the session is over. */
  | { readonly type: 'session'; readonly change: SessionChange }
  /** What was to be written is durable: what waits for it is due. */
  | { readonly type: 'written'; readonly then: readonly AfterWrite[] }
  /** It will never be: the supervisor closes. */
  | {
      readonly type: 'unwritten';
      readonly then: readonly AfterWrite[];
      readonly failure: Failure;
    }
  /** The journal does not keep these ended tasks any longer. */
  | { readonly type: 'pruned'; readonly taskIds: readonly string[] }
  /** The journal cannot write, or can again. */
  | { readonly type: 'journal_changed'; readonly failure: Failure | null }
  | { readonly type: 'created'; readonly agent: Agent; readonly cell: Cell }
  | { readonly type: 'not_created'; readonly agent: Agent; readonly error: Failure }
  | { readonly type: 'budget_opened'; readonly agent: Agent }
  /** What only the journal remembered of an agent, or why it cannot be read. */
  | { readonly type: 'memory_loaded'; readonly agent: Agent; readonly loaded: LoadedAgent }
  | { readonly type: 'memory_lost'; readonly agent: Agent; readonly error: Failure }
  // An actor.
  | { readonly type: 'started'; readonly agent: Agent }
  | {
      readonly type: 'run_event';
      readonly run: Run;
      readonly event: RunEvent;
      /** What the gateway has counted since it was asked last. */
      readonly spent: Metered | null;
    }
  | { readonly type: 'violated'; readonly run: Run; readonly error: Failure }
  | {
      readonly type: 'parked';
      readonly run: Run;
      readonly spent: Metered | null;
      /** What its model has answered since it left its thread. */
      readonly early: readonly FromGateway[];
    }
  /** What the journal has to know of a run that its thread does not report, and the code that waits for it. */
  | {
      readonly type: 'entry';
      readonly run: Run;
      readonly entry: RunEntry;
      readonly waiter: WriteWaiter | null;
    }
  /** A piece of what the model of a run answers, with or without a thread. */
  | { readonly type: 'streamed'; readonly run: Run; readonly delta: StreamedDelta }
  /** The model of a run without a thread answers. */
  | {
      readonly type: 'model_message';
      readonly run: Run;
      readonly message: FromGateway;
      readonly spent: Metered | null;
    }
  /** A run without a thread is interrupted with its actor. */
  | { readonly type: 'interrupt_parked'; readonly run: Run; readonly reason: string }
  /** The thread pool: so many requests wait for a thread that is not on its way. */
  | { readonly type: 'threads_needed'; readonly need: ThreadDemand }
  | {
      readonly type: 'released';
      readonly agent: Agent;
      readonly exit: Exit;
      readonly spent: Metered | null;
    }
  | {
      readonly type: 'passivated';
      readonly agent: Agent;
      /** How it lost its activation; null of an idle one that gave up its thread. */
      readonly lost: Exit | null;
      readonly spent: Metered | null;
    }
  | { readonly type: 'stayed_live' | 'unresponsive'; readonly agent: Agent }
  | { readonly type: 'gone' }
  | { readonly type: 'check_slots' | 'check_waits' }
  // The calls of a run, and its clocks.
  | { readonly type: 'wait_changed'; readonly run: Run }
  | { readonly type: 'timed_out'; readonly run: Run; readonly fired: Fired }
  | {
      readonly type: 'tool_overran';
      readonly run: Run;
      readonly name: string;
      readonly limitMs: number;
    };
