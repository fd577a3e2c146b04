// Owns the effects of the scheduler's decisions as data: the closed list of all that it can have done.
import type { Cell } from '../actor/cell.ts';
import type { Failure, TroupeError } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import type { EventPayloads, EventSubject, EventType } from '../events/event-types.ts';
import type { RunRequest } from '../protocol/agent-args.ts';
import type { BudgetAccount, Spend } from '../protocol/budget.ts';
import type { Message } from '../protocol/history.ts';
import type { AgentControl } from '../protocol/run-controls.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import type { RunResult } from './completion/run-result.ts';
import type { OpenDelivery } from './delivery.ts';
import type { Ending } from './ending.ts';
import type { LeftInBackground } from './journal/restored-task.ts';
import type { TaskWrite } from './journal/run-entry.ts';
import type { WriteWaiter } from './journal/written-task.ts';
import type { Agent, Run, TaskRecord } from './state.ts';

/** What waits until something is durable. */
export type AfterWrite =
  | Effect
  /** The thread of a run may go on: so many of its commits are durable. */
  | { readonly type: 'acknowledge'; readonly run: Run; readonly commits: number }
  /** What an agent remembers is durable. */
  | { readonly type: 'remembered'; readonly agent: Agent };

export type Effect =
  | {
      readonly type: 'emit';
      readonly event: EventType;
      readonly subject: EventSubject;
      readonly payload: EventPayloads[EventType];
    }
  /** Hands records to the journal, in order; what waits for them comes back as a message. */
  | {
      readonly type: 'write';
      readonly records: readonly TaskWrite[];
      readonly then: readonly AfterWrite[];
    }
  /** Code waits for what was written before: it is durable, or `why` it never will be. */
  | {
      readonly type: 'end_wait';
      readonly waiter: WriteWaiter;
      readonly why: Failure | null;
    }
  /** The same for the caller of a task that was accepted. */
  | { readonly type: 'end_acceptance'; readonly task: TaskRecord; readonly why: Failure | null }
  /** A task is unfinished: the process goes on. */
  | { readonly type: 'accept' }
  /** Makes the actor of an agent; what comes of it is a message. */
  | {
      readonly type: 'create';
      readonly agent: Agent;
      readonly begins: 'in_thread' | 'without_thread' | 'passivated';
    }
  /** Gives an actor its first or next activation. */
  | { readonly type: 'activate'; readonly agent: Agent; readonly cell: Cell }
  /** Opens the services and clocks of a run. */
  | { readonly type: 'open_run'; readonly run: Run }
  /** Counts the model calls of an agent under its next run. */
  | {
      readonly type: 'open_budget';
      readonly agent: Agent;
      readonly cell: Cell;
      readonly accounts: readonly BudgetAccount[];
    }
  /** What an earlier process has taken of budgets counts. */
  | {
      readonly type: 'carry_budget';
      readonly accounts: readonly BudgetAccount[];
      readonly spent: Spend;
    }
  | { readonly type: 'send'; readonly cell: Cell; readonly message: RunRequest }
  | { readonly type: 'control'; readonly cell: Cell; readonly control: AgentControl }
  /** A run whose message is not handed over yet does not begin, or may again. */
  | { readonly type: 'hold' | 'let_go'; readonly cell: Cell }
  | { readonly type: 'kill'; readonly cell: Cell }
  /** The supervisor asks the model of a run that has no thread. */
  | {
      readonly type: 'ask_model';
      readonly run: Run;
      readonly turn: number;
      readonly messages: readonly Message[];
      /** The gateway has the first so many. */
      readonly from: number;
      readonly toolChoice: 'auto' | 'none' | null;
    }
  /** The call of a run without a thread is given up. */
  | { readonly type: 'abort_model'; readonly cell: Cell }
  /** The run of an agent without a thread is over: its actor ends with it, or is passivated. */
  | {
      readonly type: 'end_parked';
      readonly cell: Cell;
      readonly isOver: boolean;
      readonly result: 'processed' | 'interrupted';
    }
  /** So many threads are held by calls that wait for children: as many more may be opened. */
  | { readonly type: 'allow_threads'; readonly stuck: number }
  /** Ends a run through its actor; `ending` receives the receipts. */
  | {
      readonly type: 'interrupt';
      readonly run: Run;
      readonly options: Ending['options'];
      readonly ending: Ending | null;
    }
  /** Ends a persistent agent through its actor. */
  | { readonly type: 'end_agent'; readonly cell: Cell; readonly ending: Ending }
  /** Reads what only the journal remembers of an agent: for its next run, or before the journal forgets it. */
  | { readonly type: 'load_memory'; readonly agent: Agent }
  /** Asks an idle agent for its thread, at once or after the time that idle ones have, or no longer. */
  | { readonly type: 'passivate' | 'passivate_later' | 'stay'; readonly agent: Agent }
  /** Looks at who waits for a slot again, once every call that waits for a task which has just ended knows of it. */
  | { readonly type: 'check_slots_later' | 'check_waits_later' }
  | { readonly type: 'call_clock'; readonly run: Run; readonly event: RunEvent }
  | { readonly type: 'suspend_clocks'; readonly task: TaskRecord; readonly run: Run }
  | { readonly type: 'resume_clocks'; readonly task: TaskRecord }
  /** The caller of `spawn` learns that the agent can be asked, or why it never will. */
  | { readonly type: 'ready'; readonly agent: Agent; readonly why: Failure | null }
  /** What the host does in the name of a run is aborted. */
  | { readonly type: 'end_signal'; readonly run: Run; readonly why: TroupeError | undefined }
  /** The one end of a task: its event, then its promise (O3). */
  | {
      readonly type: 'complete';
      readonly task: TaskRecord;
      readonly subject: EventSubject;
      readonly outcome: Outcome & { diagnosticFile?: string };
      /** Null when it never ran. */
      readonly ended: { readonly run: Run; readonly result: RunResult } | null;
    }
  /** Tasks that a run had in the background before a restart go on there. */
  | { readonly type: 'adopt'; readonly run: Run; readonly left: LeftInBackground }
  /** A recovered task that may have ended the process before has gone on, or has ended. */
  | { readonly type: 'end_trial'; readonly taskId: string }
  /** A task has ended in an earlier process, where its end was published. */
  | { readonly type: 'found'; readonly task: TaskRecord; readonly outcome: Outcome }
  /** A failed run is over, and its task is run again after the delay. */
  | {
      readonly type: 'retry_later';
      readonly task: TaskRecord;
      readonly run: Run;
      readonly result: RunResult;
      readonly delayMs: number;
    }
  /** No run of an agent needs its shell any more. */
  | { readonly type: 'end_toolset'; readonly agentId: string }
  | { readonly type: 'end_tree'; readonly tree: string }
  | {
      readonly type: 'settle';
      readonly delivery: OpenDelivery;
      readonly end: 'taken' | 'undelivered';
    };
