// Checks what a timeout says of a thread that does not answer: spinning, blocked, dead, or only waiting (V9); and that
// what the service does for its run ends without it (S4).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Supervisor } from '#src/index.js';
import { stateOf } from '#src/threads/thread-state.js';
import { defineTool } from '#src/tool.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import {
  calls,
  gate,
  superviseInManualTime,
  superviseUnacknowledged,
  toolFixture,
  turns,
  within,
} from './support.ts';

const tools = [toolFixture('hangs')];
const graces = { interruptGraceMs: 500, stopGraceMs: 500 };
const limitMs = 1_000;

/** The two clocks of a run, each alone: the other one is far away. */
const clocks = [
  ['idle', { idleTimeoutMs: limitMs }, `no activity for ${limitMs} ms while`],
  [
    'total',
    { idleTimeoutMs: 60_000, totalTimeoutMs: limitMs },
    `the run took longer than ${limitMs} ms, it was`,
  ],
] as const;

/** What a file holds once it ends in a digit: its writer has said who it is. Null before. */
function written(file: string): string | null {
  try {
    return /\S*\d$/.exec(readFileSync(file, 'utf8').trim())?.[0] ?? null;
  } catch {
    return null;
  }
}

/** Looks that have to find a thread in one state: on its way into its loop or its sleep it is in the other at moments. */
const steadyLooks = 50;

/** Resolves when the thread that signed in stays in a state: running, or sleeping. */
async function threadIs(state: string, file: string): Promise<void> {
  const now = (): string | null => {
    const who = written(file);
    return who === null ? null : stateOf(readFileSync(`/proc/${who}/stat`, 'utf8'));
  };
  for (let looks = 0; looks < steadyLooks; looks += 1) {
    if (now() !== state) looks = 0;
    await turns(1);
  }
}

/** Holds the host's own loop until a process has signed in: what its thread has posted before lies there unread. */
function blockHostUntilWritten(file: string): void {
  const deadline = performance.now() + 20_000;
  while (written(file) === null) {
    if (performance.now() > deadline) throw new Error('waited too long for the native call');
  }
}

describe.each(clocks)('the %s timeout', (clock, timeouts, says) => {
  it.each([
    ['burn', 'R', 'spinning'],
    ['sleep', 'S', 'blocked'],
  ])('says of a thread in %s, in state %s, that it was %s (V9)', async (name, state, phase) => {
    const file = join(temporaryFolder(), 'thread');
    // A loop that has just begun is still being compiled and sleeps at moments; to wait for its thread takes a real second.
    const start = state === 'R' ? superviseInManualTime : superviseUnacknowledged;
    const options = { timeouts: { ...timeouts, ...graces }, tools };
    const { supervisor, watch, clock: time } = start(calls([name, { file }]), options);
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');
    await within(threadIs(state, file), `a thread in state ${state}`);

    // What spins has six idle periods.
    const periods = clock === 'idle' && phase === 'spinning' ? 6 : 1;
    await time.advance((periods + 1) * limitMs);
    const outcome = await within(handle.result(), 'the outcome');

    const message = says.replace(String(limitMs), String(periods * limitMs));
    expect(outcome).toMatchObject({
      status: 'timeout',
      exitReason: `${clock}_timeout`,
      error: { message: `${message} ${phase}` },
      partial: { phase, toolTrace: [{ name, status: 'running' }] },
    });
    expect(watch.of('timeout_fired')).toMatchObject([{ clock, limitMs, phase }]);
  });

  it('says of a thread whose model never answers that it waited (V9)', async () => {
    const {
      supervisor,
      watch,
      clock: time,
    } = superviseInManualTime({ default: [{ hang: true }] }, { timeouts });
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started');

    await time.advance(limitMs);
    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome).toMatchObject({
      exitReason: `${clock}_timeout`,
      error: { message: `${says} waiting for model` },
      partial: { phase: 'waiting_for_model' },
    });
    expect(watch.of('timeout_fired')).toMatchObject([{ clock, phase: 'waiting_for_model' }]);
  });

  it('says of a thread that was given up and cannot exit that it was dead (V9)', async () => {
    const file = join(temporaryFolder(), 'process');
    const {
      supervisor,
      watch,
      clock: time,
    } = superviseUnacknowledged(calls(['forge', { file }]), {
      timeouts: { ...timeouts, ...graces },
      tools,
    });
    // Its thread is given up as soon as the forgery is read; by then it must be where no terminate reaches it.
    supervisor.on('tool_started', () => blockHostUntilWritten(file));
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_started');
    const pid = Number(written(file) ?? Number.NaN);
    expect(pid).toBeGreaterThan(1);
    let isFree = false;
    const free = (): void => {
      if (!isFree) process.kill(pid, 'SIGKILL');
      isFree = true;
    };
    onTestFinished(free);

    await time.advance(limitMs);
    free();
    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome).toMatchObject({
      status: 'timeout',
      exitReason: `${clock}_timeout`,
      error: { message: `${says} dead` },
      partial: { phase: 'dead', toolTrace: [{ name: 'forge', status: 'running' }] },
    });
  });
});

async function interruptedTask(supervisor: Supervisor) {
  const handle = supervisor.start({ goal: 'a' });
  const why = { code: 'interrupted', message: 'enough' };
  return { outcome: handle.result(), end: () => handle.interrupt({ reason: 'enough' }), why };
}

async function stoppedAgent(supervisor: Supervisor) {
  const agent = await within(supervisor.spawn({ name: 'analyst' }), 'the agent');
  const outcome = agent.ask('a', { timeoutMs: 20_000 });
  return { outcome, end: () => agent.stop(), why: { code: 'interrupted' } };
}

it.each([
  ['an interrupt', interruptedTask],
  ['a stop', stoppedAgent],
])(
  'a host tool hears of %s at once when the thread of its agent hears nothing (S4)',
  async (_what, begin) => {
    const [file, begun] = [join(temporaryFolder(), 'thread'), join(temporaryFolder(), 'begun')];
    const aborted = gate<unknown>();
    const deaf = defineTool({
      name: 'deaf',
      description: 'Never ends.',
      input: z.object({}),
      run(_input, { signal }) {
        signal.addEventListener('abort', () => aborted.open(signal.reason));
        writeFileSync(begun, '');
        return new Promise(() => {});
      },
    });
    const { supervisor, clock } = superviseUnacknowledged(
      calls('deaf', ['burn_after', { file, after: begun }]),
      {
        timeouts: graces,
        tools: [...tools, deaf],
      },
    );
    const run = await begin(supervisor);
    await within(threadIs('R', file), 'a thread that spins');

    const ending = run.end();

    expect(await within(aborted.opened, 'the abort')).toMatchObject(run.why);
    await clock.advance(graces.interruptGraceMs + graces.stopGraceMs);
    expect(await within(ending, 'the receipts')).toMatchObject([{ stage: 'killed' }]);
    expect(await within(run.outcome, 'the outcome')).toMatchObject({ status: 'interrupted' });
  },
);
