// Owns the tools that a run adds to the loaded tools of its worker slot, for its required outputs. Runs none.
import type { WorkerSpec } from '../protocol/worker-spec.ts';
import { emitTool } from './emit-tool.ts';
import type { ThreadTools } from './loaded-tools.ts';

/** The loaded tools with the run's own; the same map when the run has none (B17). */
export function runTools(
  tools: ThreadTools,
  { outputs }: WorkerSpec,
  onEmit: (name: string, value: string) => void,
): ThreadTools {
  if (outputs === undefined) return tools;
  const emit = emitTool(outputs, onEmit);
  return new Map([...tools, [emit.name, emit]]);
}
