// Owns the messages of a slot's port, both ways, and what its thread is started with. Types only.

import type { MessagePort } from 'node:worker_threads';
import type { Address } from '../actor/address.ts';
import type { ReportedExit } from '../actor/exit.ts';
import type { ReceiveResult, Snapshot } from '../actor/host.ts';
import type { Failure } from '../base/failures.ts';
import type { PackedMail } from './packed-mail.ts';
import type { NetworkAccess } from './worker-profile.ts';

/** What an activation runs: a behaviour module, a class of a module, or the built-in agent loop. */
export type ActivationTarget =
  | { readonly type: 'behavior'; readonly url: string }
  | { readonly type: 'object'; readonly url: string; readonly exportName: string | null }
  | { readonly type: 'agent' }
  /** Describes the tools of modules, so that a bad one is known before anything starts. */
  | { readonly type: 'tools' };

/** What many activations have in common: the value only when the slot does not have it under this key. */
export type SharedPart = {
  readonly key: string;
  readonly value?: unknown;
  /** The key of one that the slot need not keep any longer. */
  readonly forget?: string;
};

/** A conversation that begins as the one does that the thread keeps under this key. */
export type ConversationPart = {
  readonly key: string;
  /** So many messages of the one that is kept; `messages` follow. */
  readonly from: number;
  readonly messages: readonly unknown[];
  /** The whole is kept instead of what was. */
  readonly isKept: boolean;
  /** Keys of those that need not be kept any longer. */
  readonly forget: readonly string[];
};

/** How the activation reaches its model: over this port to the host, or over the gateway's own port. */
type ModelRoute = 'none' | 'host' | 'gateway';

export type ToThread =
  | {
      readonly type: 'start';
      readonly activation: number;
      /** Proves to the model gateway which activation asks. */
      readonly token: string;
      readonly address: Address;
      readonly incarnation: number;
      readonly snapshot: unknown;
      /** What the actor kept while it was passive: its activation continues with it. */
      readonly kept: Snapshot | null;
      readonly target: ActivationTarget;
      readonly args: unknown;
      readonly shared: SharedPart | null;
      /** What an agent remembers; null for other actors. */
      readonly conversation: ConversationPart | null;
      readonly modelRoute: ModelRoute;
      /** Control messages sent before it had its slot; it receives them before its first mail. */
      readonly controls: readonly unknown[];
      /** Mail that was there already: most activations begin with it. */
      readonly mail: PackedMail;
    }
  | {
      readonly type: 'mail';
      readonly activation: number;
      readonly mail: PackedMail;
      /** Returns of this activation that the host had seen; mail that crossed one on the way is not to be taken. */
      readonly returns: number;
    }
  | {
      readonly type: 'interrupt';
      readonly activation: number;
      /** The number of the receive that is to end. */
      readonly receive: number;
      readonly reason: string;
      /** What the host's gateway answered the calls that the interrupt ends; read before the signal is raised. */
      readonly model: readonly unknown[];
    }
  | { readonly type: 'stop'; readonly activation: number; readonly reason: string }
  | { readonly type: 'take_back'; readonly activation: number }
  /** Asks an idle activation to give the slot up; an agent without its state, which the supervisor has (P1). */
  | { readonly type: 'passivate'; readonly activation: number }
  | { readonly type: 'control'; readonly activation: number; readonly message: unknown }
  | {
      readonly type: 'answer';
      readonly activation: number;
      readonly callId: number;
      readonly value: unknown;
    }
  | {
      readonly type: 'answer_failed';
      readonly activation: number;
      readonly callId: number;
      readonly failure: Failure;
    }
  /** So many tells of this activation have been admitted or refused: the outbox has space again (M5). */
  | { readonly type: 'admitted'; readonly activation: number; readonly count: number }
  | { readonly type: 'link'; readonly activation: number; readonly payload: unknown }
  | { readonly type: 'model'; readonly activation: number; readonly message: unknown }
  /**
   * Answered by `pong` once the host has what was printed: a thread that does not answer spins or is blocked (V9). A patient
   * one once the thread has no request of its own under way.
   */
  | { readonly type: 'ping'; readonly nonce: number; readonly isPatient: boolean };

/** What an activation sends its host, in the order it happened. A number: so many receives have been processed. */
export type ActivationItem =
  | number
  | { readonly t: 'started' }
  | { readonly t: 'start_failed'; readonly failure: Failure }
  | {
      readonly t: 'settled';
      readonly result: Exclude<ReceiveResult, 'processed'>;
      readonly failure?: Failure | undefined;
    }
  /** All that was handed over goes back, but the `kept` oldest: the message in hand. What is on its way goes back too. */
  | { readonly t: 'returned'; readonly kept: 0 | 1 }
  | { readonly t: 'unstash' }
  | { readonly t: 'reply'; readonly askId: number; readonly value: unknown }
  | { readonly t: 'fail'; readonly askId: number; readonly failure: Failure }
  | {
      readonly t: 'tell';
      readonly to: Address;
      readonly message: unknown;
      readonly bytes: number;
    }
  | {
      readonly t: 'offer' | 'ask';
      readonly callId: number;
      readonly to: Address;
      readonly message: unknown;
      readonly timeoutMs: number;
    }
  | {
      readonly t: 'spawn';
      readonly callId: number;
      readonly module: string;
      /** Parsed by the host, in `ActorRequests`, before the spawn. */
      readonly options: unknown;
    }
  | { readonly t: 'stop' | 'watch' | 'unwatch'; readonly actor: Address }
  | {
      readonly t: 'timer';
      readonly timerId: number;
      readonly delayMs: number;
      readonly message: unknown;
    }
  | { readonly t: 'timer_off'; readonly timerId: number }
  | { readonly t: 'commit'; readonly snapshot: unknown }
  | { readonly t: 'event'; readonly event: unknown }
  /** To a model that runs on the host; the gateway there judges it. */
  | { readonly t: 'model'; readonly message: unknown }
  /** `leaks` names what the activation left behind; with an empty list the slot may serve another. */
  | {
      readonly t: 'ended';
      readonly exit: ReportedExit;
      readonly inHand: 'started' | 'not_started';
      readonly leaks: readonly string[];
    }
  | { readonly t: 'parked'; readonly leaks: readonly string[] }
  | { readonly t: 'passivated'; readonly kept: Snapshot | null; readonly leaks: readonly string[] }
  /** It was asked to give its slot up and goes on: busy, or with why its state cannot be kept. */
  | { readonly t: 'stayed'; readonly failure?: Failure | undefined };

export type FromThread =
  | {
      readonly type: 'online';
      readonly threadId: number;
      /** The system's id of the thread, which is not Node's number; null where the system reports none. */
      readonly osThreadId: number | null;
    }
  | {
      readonly type: 'batch';
      readonly activation: number;
      readonly items: readonly ActivationItem[];
    }
  | { readonly type: 'link'; readonly activation: number; readonly payload: unknown }
  | { readonly type: 'pong'; readonly nonce: number }
  /** Code that an earlier activation left behind has thrown: the thread serves its current activation, and no other. */
  | { readonly type: 'fault'; readonly failure: Failure };

export type StartMessage = Extract<ToThread, { readonly type: 'start' }>;

/** What comes from an activation, and not from its thread. */
export type FromActivation = Extract<FromThread, { readonly activation: number }>;

/** Items of one batch. */
export const largestBatch = 256;

/** What a slot's pool job is given. */
/** Stored instead of a number of runs that wait for a thread: every run leaves its thread whenever it may. */
export const alwaysNeeded = 0x3fff_ffff;

export type WorkerJob = {
  readonly port: MessagePort;
  readonly sharedFlags: SharedArrayBuffer;
  /** One number: how many runs wait for a thread of the pool. */
  readonly needed: SharedArrayBuffer;
  /** Added to the thread's niceness where the system allows; 0 leaves it. */
  readonly niceness: number;
  /** The address of the loader for TypeScript that this process runs under; null: none. */
  readonly tsx: string | null;
  /** Of the profile. */
  readonly net: NetworkAccess;
  /** Node holds its code to a profile, and what Node does not hold is taken away. */
  readonly isRestricted: boolean;
};

/** Names of the gateway's own port among what a thread is sent. */
export type GatewayPortMessage = {
  readonly type: 'gateway';
  readonly port: MessagePort;
};
