// Checks a job whose provider is down for a while: its tasks wait together, none ends for being idle, an interrupt ends the wait.
import { afterEach, describe, expect, it } from 'vitest';
import { createSupervisor, type Model, type SupervisorOptions } from '#src/index.js';
import { ManualClock, type StubModelServer, startStubModelServer } from '#src/testing.js';
import { watched, within } from './support.ts';

const down = () => Object.assign(new Error('overloaded'), { status: 529 });

/** A provider's client that can be down. */
class Provider implements Model {
  readonly id = 'own';
  readonly price = 0;
  isDown = true;
  calls = 0;

  async respond() {
    this.calls += 1;
    if (this.isDown) throw down();
    return { content: [{ type: 'text', text: 'done' } as const] };
  }
}

function arrange(model: SupervisorOptions['model'], options: Partial<SupervisorOptions> = {}) {
  const clock = new ManualClock();
  const { supervisor, watch } = watched(
    createSupervisor({
      model,
      clock,
      logDirectory: false,
      logger: false,
      random: () => 0,
      modelRetry: { maxOutageMs: 3_600_000 },
      timeouts: { idleTimeoutMs: 60_000 },
      ...options,
    }),
  );
  return { clock, supervisor, watch };
}

const lines = (watch: ReturnType<typeof arrange>['watch']) =>
  watch.of('log').map(({ message }) => message);

describe('a job whose provider is down', () => {
  it('waits longer than its idle limit, and completes every task once it is back', async () => {
    const model = new Provider();
    const { clock, supervisor, watch } = arrange(model);
    const tasks = Array.from({ length: 6 }, (_, index) => ({ goal: `task ${index}` }));

    const job = supervisor.delegate(tasks);
    await watch.next('turn_started');
    await clock.advance(1_800_000);
    const calls = model.calls;
    model.isDown = false;
    await clock.advance(60_000);

    const outcomes = await within(job, 'the outcomes');
    expect(outcomes.map(({ status }) => status)).toEqual(tasks.map(() => 'completed'));
    // Three tries of each, then one a minute.
    expect(calls).toBeLessThan(6 * 3 + 40);
    expect(watch.of('idle_warning')).toEqual([]);
    expect(lines(watch)).toEqual([
      'own is down: 529 overloaded, next try in 5 s',
      'own answers again: its calls go on',
    ]);
  });

  it('ends a task whose total time is over, and the others wait on', async () => {
    const model = new Provider();
    const { clock, supervisor, watch } = arrange(model);

    const limited = supervisor.start({ goal: 'a', totalTimeoutMs: 120_000 });
    const other = supervisor.start({ goal: 'b' });
    await watch.next('turn_started');
    await clock.advance(130_000);

    expect(await within(limited.result(), 'the limited one')).toMatchObject({ status: 'timeout' });
    expect(other.status()).toBe('waiting');
    model.isDown = false;
    await clock.advance(60_000);
    expect(await within(other.result(), 'the other')).toMatchObject({ status: 'completed' });
  });

  it('is ended at once by an interrupt', async () => {
    const model = new Provider();
    const { clock, supervisor, watch } = arrange(model);
    const handles = ['a', 'b'].map((goal) => supervisor.start({ goal }));
    await watch.next('turn_started');
    await clock.advance(20_000);

    await within(Promise.all(handles.map((handle) => handle.interrupt())), 'the receipts');

    for (const handle of handles) {
      expect(await within(handle.result(), 'the outcome')).toMatchObject({ status: 'interrupted' });
    }
  });

  it('ends idle when its agents hang after the provider is back', async () => {
    const provider = new Provider();
    const hanging: Model = {
      id: 'own',
      price: 0,
      respond: (_, call) =>
        provider.isDown
          ? Promise.reject(down())
          : new Promise((_, reject) =>
              call.signal.addEventListener('abort', () => reject(call.signal.reason)),
            ),
    };
    const { clock, supervisor, watch } = arrange(hanging);
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started');
    await clock.advance(600_000);
    provider.isDown = false;
    await clock.advance(180_000);

    expect(await within(handle.result(), 'the outcome')).toMatchObject({
      exitReason: 'idle_timeout',
    });
  });
});

describe('in the thread of the gateway', () => {
  let server: StubModelServer | null = null;

  afterEach(async () => {
    await server?.close();
    server = null;
  });

  it('calls wait too, and no agent ends for being idle', async () => {
    const overloaded = { type: 'error', status: 529, message: 'overloaded' } as const;
    server = await startStubModelServer();
    server.reply(...Array.from({ length: 8 }, () => overloaded), { type: 'message', text: 'done' });
    const model = { provider: 'anthropic', model: 'm', baseUrl: server.url, apiKey: 'k' } as const;
    const { clock, supervisor, watch } = arrange(model);

    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started');
    for (let minute = 0; minute < 10; minute += 1) await clock.advance(60_000);

    expect(await within(handle.result(), 'the outcome')).toMatchObject({ text: 'done' });
    expect(server.requests()).toHaveLength(9);
    expect(lines(watch)).toHaveLength(2);
    expect(lines(watch)[0]).toContain(`${server.url} is down: 529 overloaded, next try in `);
  });
});
