// Owns the settings of a run's loop. Types only.
import type { EmitToolNames } from './required-outputs.ts';

/** Settings of a run's loop; a task's own win over those of its agent's definition. */
export type LoopSettings = {
  /** Calls of one turn run together. Default true; false runs them one after another. */
  readonly parallelToolCalls?: boolean;
  /** Names of tools whose success ends the run at once, with their text as its answer. */
  readonly finishTools?: readonly string[];
  /** One model call more when the turns are used up, for a closing message. Its calls are not run. */
  readonly summaryTurn?: boolean;
  /** Added after the results when every call of a turn failed without a message. Default: nothing. */
  readonly allFailedText?: string;
  /** What the tool that takes `outputs` is called, and its two arguments. Default `emit_value`, `name`, `value`. */
  readonly emitToolNames?: EmitToolNames;
  /** Begins the id of each response, which tools see as `promptId`. Default: the task's id. */
  readonly promptIdPrefix?: string;
  /** How often an answer that does not fit `outputSchema` may be corrected. Default 3. */
  readonly maxCorrections?: number;
};
