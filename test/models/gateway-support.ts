// A gateway with a manual clock, and one list of what thread and supervisor receive of it. Asserts nothing.
import { Gateway, type GatewayOptions } from '#src/models/gateway/gateway.js';
import type { Model, ModelCall, ModelRequest } from '#src/models/model.js';
import type { Budget, BudgetAccount } from '#src/protocol/budget.js';
import type { ToGateway, ToSupervisor } from '#src/protocol/model-messages.js';
import { ManualClock } from '#src/testing.js';

export function arrange(options: Partial<GatewayOptions> = {}) {
  const clock = new ManualClock();
  const replies: ToSupervisor[] = [];
  const toSupervisor = (_conversation: string, message: ToSupervisor): void => {
    replies.push(message);
  };
  const gateway = new Gateway({ clock, toSupervisor, ...options });
  const send = (message: ToGateway | object): boolean =>
    gateway.handle(message, (reply) => replies.push(reply));
  return { clock, gateway, replies, send };
}

/** The accounts of an agent's run in a tree. */
export function underBudget(
  { tree = {}, agent = {} }: { readonly tree?: Budget; readonly agent?: Budget },
  { id = 'tree-1', agentId = 'a-1' } = {},
): readonly BudgetAccount[] {
  return [
    { id, scope: 'tree', limits: tree },
    { id: `${id}/${agentId}`, scope: 'agent', limits: agent },
  ];
}

export function binding(model: Model, overrides: object = {}) {
  const { token = 't-1' } = overrides as { readonly token?: string };
  const agent = { id: 'a-1', name: 'worker', path: '/worker' };
  const head = { system: 'S', tools: [] };
  return { token, conversation: token, agent, head, accounts: [], model, ...overrides };
}

type RequestMessage = Extract<ToGateway, { type: 'model_request' }>;

export function asks(overrides: Partial<RequestMessage> = {}): RequestMessage {
  return {
    type: 'model_request',
    token: 't-1',
    callId: 1,
    turn: 1,
    from: 0,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Do it.' }] }],
    ...overrides,
  };
}

/** A model whose calls the test answers by hand. */
export class GatedModel implements Model {
  readonly id = 'held';
  readonly calls: {
    readonly request: ModelRequest;
    readonly call: ModelCall;
    answer(text: string, outputTokens?: number): void;
    fail(error: unknown): void;
  }[] = [];

  respond(request: ModelRequest, call: ModelCall): ReturnType<Model['respond']> {
    return new Promise((resolve, reject) => {
      this.calls.push({
        request,
        call,
        fail: reject,
        answer: (text, outputTokens = 1) => {
          resolve({
            content: [{ type: 'text', text }],
            stopReason: 'end_turn',
            usage: { inputTokens: 1, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 },
            isEstimated: true,
            model: 'held-1',
          });
        },
      });
    });
  }
}

/** Lets every promise that is ready run. */
export function untilIdle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
