// Shared arrangements of the model tests: requests, calls and collectors. Asserts nothing.
import type { ModelCall, ModelRequest } from '#src/models/model.js';
import type { ModelDelta } from '#src/protocol/model-messages.js';

export function request(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'You are a test.',
    tools: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Do it.' }] }],
    agent: { id: 'a-1', name: 'worker', path: '/worker' },
    turn: 1,
    ...overrides,
  };
}

/** A call that collects its deltas, with a handle to abort it. */
export function modelCall(): ModelCall & { deltas: ModelDelta[]; abort(): void } {
  const controller = new AbortController();
  const deltas: ModelDelta[] = [];
  return {
    signal: controller.signal,
    onDelta: (delta) => deltas.push(delta),
    deltas,
    abort: () => controller.abort(),
  };
}

/** The same, with a method that needs its object, as the calls of the gateway are. */
export function boundCall(): ReturnType<typeof modelCall> {
  const call = modelCall();
  return {
    ...call,
    onDelta(delta) {
      this.deltas.push(delta);
    },
  };
}

/** What a promise rejected with; fails when it resolved. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection');
}
