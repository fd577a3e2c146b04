// Owns what a session keeps of this dialect: its manager, whose runs and ends follow the session's.
import type { Dialect, DialectState, Retention, SessionHost } from '../../sessions/dialect.ts';
import type { RunEnd, SessionEnd } from '../../sessions/run-end.ts';
import type { Session } from '../../sessions/session.ts';
import type { ToolSource } from '../../sessions/toolbox.ts';
import type { ManagerConfigInput } from './config.ts';
import { endRun, endSession, isIdle } from './end-run.ts';
import { SubagentManager } from './manager.ts';
import type { ManagerOptions } from './settings.ts';

class ManagerState implements DialectState {
  readonly manager: SubagentManager;

  constructor(host: SessionHost) {
    this.manager = new SubagentManager(host);
  }

  beginRun(): void {
    this.manager.mainRuns.begin();
  }

  endRun(): Omit<RunEnd, 'expired'> {
    this.manager.mainRuns.end();
    return endRun(this.manager);
  }

  reset(): Promise<SessionEnd> {
    return endSession(this.manager);
  }

  retention(): Retention {
    const agents = this.manager.agents().length;
    return isIdle(this.manager) ? { need: 'idle', agents } : { need: 'needed' };
  }
}

const dialect: Dialect<ManagerState> = { open: (host) => new ManagerState(host) };

/** The subagents of a session, which its main agent creates and hands work to: the same manager until the session is reset. */
export function subagentManager(session: Pick<Session, 'use'>): SubagentManager {
  return session.use(dialect).manager;
}

/** Options of `subagentTools`. */
export type SubagentToolsOptions = ManagerOptions & {
  /** Configures the session anew. Default: it keeps its configuration. */
  readonly config?: ManagerConfigInput;
};

/**
 * The tools of a program's main agent, for `session.tools`: they come and go with the session's subagents. They begin a run
 * where the program begins none: see `Session.beginRun`. Throws `invalid_options`.
 */
export function subagentTools(
  session: Pick<Session, 'use'>,
  { config, ...options }: SubagentToolsOptions = {},
): ToolSource {
  const manager = subagentManager(session);
  // Whenever the main agent is built, agents of the operator are registered (A33).
  if (config === undefined) manager.registerConfigured(options);
  else manager.configure(config, options);
  // A session that was reset has none, until it is configured again.
  const current = (): SubagentManager => subagentManager(session);
  const source: ToolSource = {
    now: () => current().offered.now(),
    called: () => current().mainRuns.called(source),
  };
  manager.mainRuns.beginWith(source);
  return source;
}
