// Owns the names of toolsets as editors complete them. Types only.

/** A toolset that comes with Troupe, or one of the supervisor's. */
export type ToolsetName = 'file' | 'todo' | 'terminal' | 'web' | (string & {});
