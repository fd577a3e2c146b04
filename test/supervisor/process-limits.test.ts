// Checks agents in processes that take what the system has: files, programs, the output of the host.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { SupervisorOptions } from '#src/index.js';
import { groupIsGone } from '../support/processes.ts';
import { answered, calls, supervise, toolFixture, within } from './support.ts';

const options: Partial<SupervisorOptions> = {
  tools: [toolFixture('contained')],
  threads: { profile: { isolation: 'process', maxHeapMb: 24, memoryMb: 192 } },
};

describe('what an agent in a process prints', () => {
  it('waits with it, where the output of the host is not read (decision 1)', async () => {
    const program = fileURLToPath(
      new URL('../fixtures/programs/floods-output.js', import.meta.url),
    );
    const host = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'] });
    try {
      const [first] = await within(once(host.stderr.setEncoding('utf8'), 'data'), 'what waits');
      expect(first).toMatch(/^waits \d+\n$/);
      expect(Number(/\d+/.exec(first)?.[0])).toBeLessThan(32 * 2 ** 20);

      let count = 0;
      host.stdout.on('data', (chunk: Buffer) => {
        count += chunk.length;
      });
      const [second] = await within(once(host.stderr, 'data'), 'the end of the agent', 60_000);
      expect(second).toBe('ended completed\n');
      await within(once(host, 'close'), 'the end of the host');
      expect(count).toBe(64 * 2 ** 20);
    } finally {
      host.kill('SIGKILL');
    }
  });
});

describe('an agent that takes what the system has', () => {
  it('runs out of files alone', async () => {
    const { supervisor, model } = supervise(calls(['act', { what: 'many open files' }]), options);

    const outcome = await within(supervisor.delegate({ goal: 'g' }), 'the end');

    // What of its own code was still to be loaded may fail it as well.
    expect(['completed', 'failed']).toContain(outcome.status);

    if (outcome.status === 'completed') {
      expect(answered(model)[0]?.[0]).toBe('true EMFILE');
    }
    // The host opens what it likes.
    closeSync(openSync('/dev/null', 'r'));
  });

  it('leaves none of two hundred programs behind', async () => {
    const { supervisor, model } = supervise(calls(['act', { what: 'a fork bomb' }]), options);

    await within(supervisor.delegate({ goal: 'g' }), 'the end');

    const [count, pid] = (answered(model)[0]?.[0] ?? '').split(' ');
    expect(count).toBe('200');
    await within(supervisor.close(), 'the close');

    await groupIsGone(Number(pid));
  });
});
