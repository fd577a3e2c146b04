// Checks the gateway's thread for real: round trips, loss, replacement, and that nothing is left.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '#src/base/clock.js';
import { type Failure, toFailure } from '#src/base/failures.js';
import { BudgetLedger } from '#src/models/budget/budget-ledger.js';
import { BudgetServer } from '#src/models/budget/budget-server.js';
import { GatewayClient } from '#src/models/gateway/gateway-client.js';
import type { BudgetCommand } from '#src/protocol/budget-messages.js';
import type { SpecBinding } from '#src/protocol/model-binding.js';
import type { ModelSpec } from '#src/protocol/model-spec.js';
import { ManualClock, startStubModelServer } from '#src/testing.js';
import { GatewayThread } from '#src/threads/gateway-thread.js';
import { until } from '../support/until.ts';

const never = new AbortController().signal;
const noViolation = (): void => {};
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function arrange() {
  const workers: Worker[] = [];
  let onLoss: (failure: Failure) => void = () => {};
  const lost = new Promise<Failure>((resolve) => {
    onLoss = resolve;
  });
  const streamed: string[] = [];
  const thread = new GatewayThread({
    clock: systemClock,
    toSupervisor: (_conversation, message) => {
      if (message.type === 'model_delta') streamed.push(message.delta.text);
    },
    onLost: (failure) => onLoss(failure),
    onEvent: (event) => {
      if (['rotated', 'fallback', 'outage', 'outage_wait'].includes(event.type)) return;
      router.receive(event as BudgetCommand);
    },
    createWorker: (url, options) => {
      const worker = new Worker(url, options);
      workers.push(worker);
      return worker;
    },
  });
  const router = new BudgetServer(new BudgetLedger(), (command) => thread.command(command));
  const client = new GatewayClient(thread.connect(noViolation));
  closers.push(
    () => thread.close(),
    () => client.close(),
  );
  return { thread, client, workers, lost, streamed };
}

function bind(spec: ModelSpec, token = 't-1'): SpecBinding {
  const agent = { id: 'a-1', name: 'worker', path: '/worker' };
  const price = { type: 'given', price: 0 } as const;
  return {
    token,
    conversation: token,
    agent,
    head: { system: '', tools: [] },
    price,
    accounts: [],
    spec,
  };
}

function asks(text: string, token = 't-1') {
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }];
  return { token, turn: 1, from: 0, messages };
}

describe('the gateway thread', () => {
  it('answers with the offline model, after what streamed of it has gone to the supervisor', async () => {
    const { thread, client, streamed } = arrange();
    thread.bind(bind({ type: 'offline' }));

    const { response, costUsd } = await client.respond(asks('Hello.'), { signal: never });
    thread.readAnswers();

    expect(response.model).toBe('offline');
    expect(costUsd).toBe(0);
    expect(streamed.join('')).toContain('Hello.');
  });

  it('lets a request overtake its bind', async () => {
    const { thread, client } = arrange();

    const answer = client.respond(asks('Hello.'), { signal: never });
    thread.bind(bind({ type: 'offline' }));

    expect((await answer).response.model).toBe('offline');
  });

  it('counts an activation under its new tree once it has confirmed the change (V10)', async () => {
    const { thread, client } = arrange();
    const accountsOf = (id: string) => [{ id, scope: 'tree' as const, limits: { maxTurns: 1 } }];
    const bound = { ...bind({ type: 'offline' }), accounts: accountsOf('tree-1') };
    thread.bind(bound);
    await client.respond(asks('Hello.'), { signal: never });
    const refused = await client.respond(asks('Again.'), { signal: never }).catch(toFailure);

    await thread.rebind({ ...bound, accounts: accountsOf('tree-2') });
    const { response } = await client.respond(asks('Again.'), { signal: never });

    expect(refused).toMatchObject({ code: 'max_turns' });
    expect(response.model).toBe('offline');
  });

  it('confirms a change that nobody is left to confirm', async () => {
    const { thread, workers, lost } = arrange();
    const [worker] = workers;
    const changed = thread.rebind(bind({ type: 'offline' }));
    await worker?.terminate();
    await lost;
    await changed;

    const idle = thread.rebind(bind({ type: 'offline' }));
    await idle;
    thread.connect(noViolation).close();
    const last = thread.rebind(bind({ type: 'offline' }));
    await thread.close();
    await last;

    expect(() => thread.bind(bind({ type: 'offline' }))).toThrow(/closed/);
  });

  it('fails what an unbound token has in flight, and refuses it from then on', async () => {
    const server = await startStubModelServer([{ type: 'silence' }]);
    const { thread, client } = arrange();
    closers.unshift(() => server.close());
    thread.bind(bind({ type: 'anthropic', model: 'm', apiKey: 'k', baseUrl: server.url }));
    const inFlight = client.respond(asks('Hi'), { signal: never });
    await server.nextRequest();

    thread.unbind({ token: 't-1' });

    await expect(inFlight).rejects.toMatchObject({ code: 'activation_ended' });
    await expect(client.respond(asks('Again'), { signal: never })).rejects.toMatchObject({
      code: 'activation_ended',
    });
  });

  it('takes the key of a model with its bind, and aborts a silent provider', async () => {
    const server = await startStubModelServer([
      { type: 'message', text: ['Hel', 'lo'] },
      { type: 'silence' },
    ]);
    const { thread, client } = arrange();
    closers.unshift(() => server.close());
    thread.bind(bind({ type: 'anthropic', model: 'm', apiKey: 'k', baseUrl: server.url }));
    const controller = new AbortController();

    const { response } = await client.respond(asks('Hi'), { signal: never });
    await server.nextRequest();
    const silent = client.respond(asks('Still?'), { signal: controller.signal });
    await server.nextRequest();
    controller.abort();

    expect(response.content).toEqual([{ type: 'text', text: 'Hello' }]);
    await expect(silent).rejects.toMatchObject({ code: 'aborted' });
  });

  it('that is killed fails what is in flight, and the next one knows every bound token', async () => {
    const server = await startStubModelServer([{ type: 'silence' }]);
    const { thread, client, workers, lost } = arrange();
    closers.unshift(() => server.close());
    thread.bind(bind({ type: 'anthropic', model: 'm', apiKey: 'k', baseUrl: server.url }));
    thread.bind(bind({ type: 'offline' }, 't-2'));
    const inFlight = client.respond(asks('Hi'), { signal: never });
    await server.nextRequest();

    await Promise.all([
      expect(inFlight).rejects.toMatchObject({ code: 'gateway_lost', retryable: true }),
      workers[0]?.terminate(),
    ]);
    expect(await lost).toMatchObject({ code: 'gateway_lost', retryable: true });
    await expect(client.respond(asks('Hi', 't-2'), { signal: never })).rejects.toMatchObject({
      code: 'gateway_lost',
    });
    client.usePort(thread.connect(noViolation));

    expect((await client.respond(asks('Hi', 't-2'), { signal: never })).response.model).toBe(
      'offline',
    );
    expect(workers).toHaveLength(2);
  });

  it('reports the port that sends what is no message of the gateway, and no other', async () => {
    const { thread } = arrange();
    const violated: string[] = [];
    const port = thread.connect(() => violated.push('this one'));
    thread.connect(() => violated.push('another'));

    port.postMessage({ type: 'model_request', token: 7 });

    await until(() => violated[0] ?? null, 'the report');
    expect(violated).toEqual(['this one']);
  });

  it('leaves nothing after close, and starts nothing then', async () => {
    const { thread, client, workers } = arrange();
    thread.bind(bind({ type: 'offline' }));
    const exited = new Promise((resolve) => workers[0]?.once('exit', resolve));
    const inFlight = client.respond(asks('Hello.', 'never-bound'), { signal: never });
    const refused = expect(inFlight).rejects.toBeInstanceOf(Error);

    await Promise.all([thread.close(), thread.close(), refused]);

    expect(await exited).toBe(0);
    expect(() => thread.connect(noViolation)).toThrow(expect.objectContaining({ code: 'closed' }));
    expect(() => thread.bind(bind({ type: 'offline' }))).toThrow(
      expect.objectContaining({ code: 'closed' }),
    );
  });

  it('starts no thread before somebody connects', async () => {
    const thread = new GatewayThread({
      clock: new ManualClock(),
      createWorker: () => {
        throw new Error('started');
      },
    });

    thread.bind(bind({ type: 'offline' }));
    thread.unbind({ token: 't-1' });

    await thread.close();
  });

  it('gets no environment and no data but what is bound', () => {
    const seen: WorkerOptions[] = [];
    const thread = new GatewayThread({
      clock: systemClock,
      createWorker: (url, options) => {
        seen.push(options);
        return new Worker(url, options);
      },
    });
    closers.push(() => thread.close());

    thread.connect(noViolation).close();

    const workerData = { role: 'gateway' };
    expect(seen).toEqual([{ name: 'troupe-gateway', env: {}, workerData }]);
  });

  it('is ended by force when it does not end by itself', async () => {
    const clock = new ManualClock();
    const deaf = 'setInterval(() => {}, 1000)';
    const thread = new GatewayThread({
      clock,
      createWorker: (_, options) => new Worker(deaf, { ...options, eval: true }),
    });
    thread.connect(noViolation).close();

    const closed = thread.close();
    await clock.advance(2_000);

    await closed;
  });

  it('rejects shutdown_timeout when even force does not end it', async () => {
    const clock = new ManualClock();
    const worker = new Worker('setInterval(() => {}, 1000)', { eval: true });
    const force = worker.terminate.bind(worker);
    closers.push(force);
    worker.terminate = () => new Promise(() => {});
    const thread = new GatewayThread({ clock, createWorker: () => worker });
    thread.connect(noViolation).close();

    const closed = expect(thread.close()).rejects.toMatchObject({ code: 'shutdown_timeout' });
    await clock.advance(12_000);

    await closed;
  });

  it('keeps no process alive', async () => {
    const program = `
      import { systemClock } from '#src/base/clock.js';
      import { GatewayThread } from '#src/threads/gateway-thread.js';
      const thread = new GatewayThread({ clock: systemClock });
      thread.connect(() => {});
      console.log('connected');
    `;
    const run = promisify(execFile);

    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
      timeout: 20_000,
    });

    expect(stdout).toBe('connected\n');
  });
});
