// Owns where scopes run: a session, with the environment that is shown to all of its scopes.
import type { Outcome } from '../../base/outcome.ts';
import type { Dialect, DialectState, Retention, SessionHost } from '../../sessions/dialect.ts';
import type { Session } from '../../sessions/session.ts';
import type { Task } from '../../tasks/task.ts';

/** How a scope's task is ended from outside, and what learns its id. */
export type ScopeRunOptions = {
  /** Aborting it interrupts the run. */
  readonly signal?: AbortSignal;
  /** Called with the id of the task before it runs. */
  readonly onAccepted?: (taskId: string) => void;
};

/** Where scopes run; `scopeRuntime(session)` is one. */
export interface ScopeRuntime {
  /** Part of the ids of its scopes; of a session, its id. */
  readonly id: string;
  /** The text ahead of every conversation here: folder, files, platform. Undefined or blank for none. */
  readonly environment?: string | undefined;
  /** Whether a registered tool would ask a human; `unknown` when that depends on arguments it must have. */
  needsConfirmation(tool: string): Promise<'yes' | 'no' | 'unknown'>;
  /** A human can be asked, by the supervisor's `approve`: then no tool is refused because it would ask. Default false. */
  readonly canAskPerson?: boolean;
  /** Another each time, also after the runtime of this id was made anew: no two scopes have one id. */
  nextScopeNumber(): number;
  /** Runs a task and resolves with its outcome. `signal` interrupts it; `onAccepted` learns its id at once. */
  run(task: Task, options?: ScopeRunOptions): Promise<Outcome>;
  /** Reports a warning to the listeners of the supervisor. */
  warn(message: string): void;
}

/** The runtime of the scopes of a session. */
export class SessionScopeRuntime implements ScopeRuntime, DialectState {
  /** Begins every scope's conversation: where it is and what it has. Default undefined; blank means none. */
  environment: string | undefined = undefined;
  readonly #host: SessionHost;

  constructor(host: SessionHost) {
    this.#host = host;
  }

  /** The session's id. */
  get id(): string {
    return this.#host.sessionId;
  }

  needsConfirmation(tool: string): Promise<'yes' | 'no' | 'unknown'> {
    return this.#host.needsConfirmation(tool);
  }

  get canAskPerson(): boolean {
    return this.#host.canAskPerson;
  }

  nextScopeNumber(): number {
    return this.#host.nextNumber();
  }

  /** Runs a task of the session to its outcome. */
  run(task: Task, options?: ScopeRunOptions): Promise<Outcome> {
    return this.#host.run(task, options);
  }

  warn(message: string): void {
    this.#host.warn(message);
  }

  /** Only an environment would be missed. */
  retention(): Retention {
    return { need: this.environment === undefined ? 'none' : 'needed' };
  }
}

const scopeDialect: Dialect<SessionScopeRuntime> = {
  open: (host) => new SessionScopeRuntime(host),
};

/** Where the scopes of a session run: the same object until the session is reset. */
export function scopeRuntime(session: Pick<Session, 'use'>): SessionScopeRuntime {
  return session.use(scopeDialect);
}
