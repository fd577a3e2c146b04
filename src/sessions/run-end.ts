// Owns the reports of the end of a run of a session's main agent, and of the end of a session.

type TaskOfAgent = { readonly agent: string; readonly taskId: string };

/** What the end of a run came to. */
export type RunEnd = {
  /** Agents that are gone; none while another run is on. */
  readonly removed: readonly string[];
  /** Agents that are still there. */
  readonly kept: readonly string[];
  /** Background tasks that go on, those of agents that are gone included. */
  readonly running: readonly TaskOfAgent[];
  /** Background tasks that ended with unread results, kept until they are read. None where `onWake` receives them. */
  readonly unread: readonly TaskOfAgent[];
  /** Sessions of the supervisor that were idle too long, and are gone. */
  readonly expired: readonly ExpiredSession[];
};

/** A session that was idle too long and is gone. */
export type ExpiredSession = {
  /** What the program called it. */
  readonly sessionId: string;
  /** Milliseconds since it was last used. */
  readonly idleMs: number;
  /** How many subagents it had. */
  readonly agents: number;
};

/** What the end of a session came to. */
export type SessionEnd = {
  /** Agents that are gone. */
  readonly removed: readonly string[];
  /** How many runs were interrupted; a background run that was over before its interrupt came is none of them. */
  readonly interrupted: number;
  /** Unread results: they are returned here, and cannot be read afterwards. */
  readonly unread: readonly (TaskOfAgent & { readonly success: boolean; readonly text: string })[];
};
