// Owns which tools of a run are its own: those its plan's debts bring, beside the kit of its slot. Runs none.
import { emitTool } from './emit-tool.ts';
import type { ThreadTools } from './loaded-tools.ts';
import type { WorkerSpec } from './run-messages.ts';

/** The kit with the run's own tools; the kit itself when it has none (B17). */
export function runTools(
  tools: ThreadTools,
  { outputs }: WorkerSpec,
  onEmit: (name: string, value: string) => void,
): ThreadTools {
  if (outputs === undefined) return tools;
  const emit = emitTool(outputs, onEmit);
  return new Map([...tools, [emit.name, emit]]);
}
