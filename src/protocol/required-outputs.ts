// Owns what a run has to emit before it ends, and how far it is with that. Types only.

/** Variables a run has to emit, each with a description of its value, and the names of the tool that takes them. */
export type Outputs = {
  readonly variables: Readonly<Record<string, string>>;
  readonly toolNames: EmitToolNames;
};

/** What the tool is called, and its two arguments. */
export type EmitToolNames = {
  readonly tool: string;
  readonly name: string;
  readonly value: string;
};

/** How far a run is with its required outputs. */
export type RunProgress = {
  /** Names of variables that were emitted. */
  readonly emitted: readonly string[];
  /** An answer by schema was accepted. */
  readonly isAnswered: boolean;
  /** Turns that were asked again because of their answer. */
  readonly corrections: number;
};
