// Checks the models of the gateway's thread: which clients it keeps, which it forgets, and who shares a line.
import { describe, expect, it } from 'vitest';
import { ProviderClients } from '#src/models/keys/provider-clients.js';
import type { Model } from '#src/models/model.js';
import { modelId } from '#src/models/resolve.js';
import { defaultRetryPolicy } from '#src/models/retry.js';
import type { ModelResponse } from '#src/protocol/model-messages.js';
import type { ModelSpec } from '#src/protocol/model-spec.js';
import { ManualClock } from '#src/testing.js';
import { untilIdle } from '../gateway-support.ts';

const max = 256;

const specOf = (apiKey: string, model = 'm'): ModelSpec => ({ type: 'anthropic', model, apiKey });
const signal = new AbortController().signal;
const request = (id: string) => ({
  system: '',
  tools: [],
  messages: [],
  agent: { id, name: id, path: `/${id}` },
  turn: 1,
});

/** A desk whose models say when they are built and asked, and never answer. */
function arrange() {
  const made: string[] = [];
  const asked: string[] = [];
  const create = (spec: ModelSpec): Model => {
    const key = spec.type === 'offline' ? 'none' : spec.apiKey;
    made.push(`${modelId(spec)} ${key}`);
    return {
      id: modelId(spec),
      respond: ({ agent }) => {
        asked.push(agent.id);
        return new Promise<ModelResponse>(() => {});
      },
    };
  };
  const scheduler = new ProviderClients({
    clock: new ManualClock(),
    random: () => 0,
    onRotated: () => {},
    onOutage: () => {},
    onOutageWait: () => {},
    create,
  });
  scheduler.use({ pools: [], initialCalls: 1, retry: defaultRetryPolicy });
  const live = (token: string, spec: ModelSpec): Model =>
    scheduler.modelsFor([{ spec }], { token, agentId: token })[0];
  const pass = (count: number): void => {
    for (let at = 0; at < count; at += 1) {
      live(`passing ${at}`, specOf(`tenant ${at}`));
      scheduler.end(`passing ${at}`);
    }
  };
  const ask = (model: Model, agent: string): void => {
    void model.respond(request(agent), { signal, onDelta: () => {} });
  };
  return { scheduler, made, asked, live, pass, ask };
}

describe('the scheduler of models', () => {
  it('has one client for all activations on one specification and key, also after they have ended', () => {
    const { scheduler, live, made } = arrange();

    const [first, second] = [live('a', specOf('k')), live('b', specOf('k'))];
    scheduler.end('a');
    scheduler.end('b');

    expect([second, live('c', specOf('k'))]).toEqual([first, first]);
    expect(made).toEqual(['anthropic:m k']);
  });

  it('forgets a client whose key came with a task when the last activation on it ends', () => {
    const { scheduler, made } = arrange();
    const brought = (token: string) =>
      scheduler.modelsFor([{ spec: specOf('k'), isOfTask: true }], { token, agentId: token })[0];
    const first = brought('a');
    const second = brought('b');
    scheduler.end('a');
    const third = brought('c');
    scheduler.end('b');
    scheduler.end('c');

    const later = brought('d');

    expect([second, third]).toEqual([first, first]);
    expect(later).not.toBe(first);
    expect(made).toHaveLength(2);
  });

  it(`keeps ${max} clients, and forgets the least recently used`, () => {
    const { scheduler, live, made, pass } = arrange();
    pass(max);
    live('again', specOf('tenant 0'));
    scheduler.end('again');
    expect(made).toHaveLength(max);

    live('one more', specOf('late'));
    scheduler.end('one more');
    live('kept', specOf('tenant 0'));
    live('kept too', specOf('tenant 2'));
    expect(made).toHaveLength(max + 1);
    live('forgotten', specOf('tenant 1'));

    expect(made.slice(max)).toEqual(['anthropic:m late', 'anthropic:m tenant 1']);
  });

  it('keeps what an activation is on, however many there are, and forgets it once all of them are over', () => {
    const { scheduler, live, made, pass } = arrange();
    const first = live('a', specOf('k'));
    live('b', specOf('k'));
    for (let at = 0; at < max; at += 1) live(`long ${at}`, specOf(`own ${at}`));

    pass(10);
    scheduler.end('a');
    pass(10);
    expect(live('c', specOf('k'))).toBe(first);
    for (const token of ['b', 'c']) scheduler.end(token);
    live('d', specOf('k'));

    expect(made.filter((each) => each === 'anthropic:m k')).toHaveLength(2);
  });

  it('counts an activation that is bound anew once, on the model it is bound to now', () => {
    const { scheduler, live, made, pass } = arrange();
    live('a', specOf('k'));
    live('a', specOf('k'));
    scheduler.end('a');
    pass(max);
    live('a', specOf('k'));
    live('a', specOf('k', 'other'));
    pass(max);

    live('b', specOf('k', 'other'));
    live('c', specOf('k'));

    expect(made.filter((each) => each.endsWith(' k'))).toEqual([
      'anthropic:m k',
      'anthropic:m k',
      'anthropic:other k',
      'anthropic:m k',
    ]);
  });

  it('keeps the line of a key while any model stands in it: its calls are counted together', async () => {
    const { asked, ask, scheduler, live, pass } = arrange();
    live('a', specOf('k', 'first'));
    scheduler.end('a');
    ask(live('b', specOf('k', 'second')), 'b');
    await untilIdle();
    pass(max);

    // The first model is built anew, and the call of the second, which is out, holds the door.
    ask(live('c', specOf('k', 'first')), 'c');
    await untilIdle();
    expect(asked).toEqual(['b']);

    ask(live('d', specOf('another key')), 'd');
    await untilIdle();
    expect(asked).toEqual(['b', 'd']);
  });

  it('forgets a line with the last of its models', async () => {
    const { asked, ask, scheduler, live, pass } = arrange();
    ask(live('a', specOf('k')), 'a');
    await untilIdle();
    scheduler.end('a');
    pass(max);

    ask(live('b', specOf('k')), 'b');
    await untilIdle();

    expect(asked).toEqual(['a', 'b']);
  });
});
