// Shared arrangements of the tests of the field's complaints: models that act by what they are asked, and readings of trees. Starts no test.
import type { Model, ModelRequest } from '#src/index.js';
import type { ModelCall } from '#src/models/model.js';
import type { Watch } from '../supervisor/support.ts';
import { goalOfFirst as goalOf } from '../support/directed.ts';

/** What an agent does in one turn, in words and calls. */
export type Act = {
  readonly text?: string;
  readonly calls?: readonly (readonly [name: string, input: unknown])[];
  readonly outputTokens?: number;
};

/** A model that does what `act` says; it may take its time and stream what it likes meanwhile. */
export function acting(act: (request: ModelRequest, call: ModelCall) => Act | Promise<Act>): Model {
  return {
    id: 'acting',
    async respond(request, call) {
      const { text, calls = [], outputTokens = 1 } = await act(request, call);
      const asked = calls.map(([name, input], at) => ({
        type: 'tool_use' as const,
        id: `call_${request.agent.id}_${request.turn}_${at}`,
        name,
        input,
      }));
      return {
        content: [...(text === undefined ? [] : [{ type: 'text' as const, text }]), ...asked],
        stopReason: asked.length > 0 ? 'tool_use' : 'end_turn',
        usage: { inputTokens: 10, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 },
        isEstimated: false,
        model: 'acting',
      };
    },
  };
}

export { goalOf };

/** Rejects when the call is given up. */
export function givenUp({ signal }: ModelCall): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** A task for `Agent` in the background. */
export const inBackground = (prompt: string) =>
  ['Agent', { description: 'a part', prompt, run_in_background: true }] as const;

/** Texts that an agent was told after the first, its results aside. */
export function noticesIn(request: ModelRequest | undefined): readonly string[] {
  const texts = (request?.messages ?? []).flatMap(({ role, content }) =>
    role === 'user'
      ? content.flatMap((block) => ('text' in block ? [String(block.text)] : []))
      : [],
  );
  return texts.slice(1);
}

/** Waits until as many events of a type have come. */
export async function cameTimes(
  watch: Watch,
  type: 'turn_started' | 'tool_started' | 'task_completed',
  count: number,
  matches: (event: { readonly depth?: number; readonly name?: string }) => boolean = () => true,
): Promise<void> {
  while (watch.of(type).filter(matches).length < count) await watch.anything();
}
