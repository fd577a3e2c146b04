// Owns the model of our own side in benchmarks: it answers at once, or after a time, and keeps nothing, as those of the peers do.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Model, ModelRequest, ModelResponse } from '#src/index.js';

const usage = { inputTokens: 0, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
const about = { usage, isEstimated: true, model: 'instant' } as const;
const done: ModelResponse = {
  content: [{ type: 'text', text: 'done' }],
  stopReason: 'end_turn',
  ...about,
};

/**
 * Says `done`, and calls `add` in the `toolTurns` turns before, all agents alike or by their name. A scripted model would
 * keep every request it was asked.
 */
export function instantModel(
  options: { readonly toolTurns?: number | Readonly<Record<string, number>> } = {},
): Model {
  const { toolTurns = 0 } = options;
  const turnsOf = (agent: string): number =>
    typeof toolTurns === 'number' ? toolTurns : (toolTurns[agent] ?? 0);
  let calls = 0;
  const call = (): ModelResponse => {
    calls += 1;
    const input = { a: 2, b: 3 };
    return {
      content: [{ type: 'tool_use', id: `call_${calls}`, name: 'add', input }],
      stopReason: 'tool_use',
      usage,
      isEstimated: true,
      model: 'instant',
    };
  };
  return {
    id: 'instant',
    respond: ({ turn, agent }: ModelRequest) =>
      Promise.resolve(turn <= turnsOf(agent.name) ? call() : done),
  };
}

/** The same answers, each `delayMs` later. */
export function slowed(model: Model, delayMs: number): Model {
  return {
    id: `${model.id}-slowed`,
    async respond(request, call) {
      await sleep(delayMs, undefined, { signal: call.signal });
      return model.respond(request, call);
    },
  };
}
