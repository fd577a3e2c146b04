// Owns what may be set of how an agent's tools are called. Types only.

/** For a supervisor, an agent definition or a task; what is nearer to the run wins. */
export type ToolSettings = {
  /** Characters of text in one result, the remark about a cut included. Default 50,000. */
  readonly maxResultChars?: number;
  /**
   * Whether the whole text of a result that is cut is kept in `.troupe/outputs` of the workspace. Default: for agents that
   * can read it there, those with the `read` or the `terminal` tool.
   */
  readonly keepResults?: boolean;
  /** Whether the model is notified when it calls one tool three times in a row. Default false. */
  readonly repetitionNotice?: boolean;
};
