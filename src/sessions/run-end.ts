// Owns what is said of the end of a run of a session's main agent, and of the end of a session.

type TaskOfAgent = { readonly agent: string; readonly taskId: string };

/** What the end of a run came to (A71). */
export type RunEnd = {
  /** Agents that are gone; none while another run is on. */
  readonly removed: readonly string[];
  readonly kept: readonly string[];
  /** Background tasks that go on, those of agents that are gone included. */
  readonly running: readonly TaskOfAgent[];
  /** Background tasks that have ended and were not read: kept until they are. None where `onWake` is told of them. */
  readonly unread: readonly TaskOfAgent[];
  /** Sessions of the supervisor that were idle too long, and are gone. */
  readonly expired: readonly ExpiredSession[];
};

/** A session that was idle too long and is gone (A75). */
export type ExpiredSession = {
  readonly sessionId: string;
  readonly idleMs: number;
  readonly agents: number;
};

/** What the end of a session came to (A74). */
export type SessionEnd = {
  readonly removed: readonly string[];
  /** How many runs were interrupted; a background run that was over before its interrupt came is none of them. */
  readonly interrupted: number;
  /** Results that nobody had read: they are handed over here, and nowhere else any more. */
  readonly unread: readonly (TaskOfAgent & { readonly success: boolean; readonly text: string })[];
};
