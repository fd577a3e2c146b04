// Checks the host's end of a process that dies: what it sent before counts.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { ProcessJob } from '#src/protocol/process-messages.js';
import { flagCount } from '#src/protocol/shared-flags.js';
import { ProcessPort, startProcess } from '#src/threads/process-port.js';
import { within } from '../supervisor/support.ts';

const program = fileURLToPath(new URL('../fixtures/programs/last-message.js', import.meta.url));
const job: ProcessJob = {
  ...{ type: 'job', heapMb: 24, memoryMb: 128, execArgv: [], niceness: 0 },
  ...{ tsx: null, net: 'open', isRestricted: false },
};

/** Its state, as Linux has it: Z once it is dead and was not waited for yet. */
const isDead = (pid: number) => /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

it.skipIf(process.platform !== 'linux')(
  'a process that is written to after its death is heard all the same (S7, V1)',
  async () => {
    const child = startProcess([program], { env: {} });
    const numbers = (count: number) =>
      new Int32Array(new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT));
    const events = { message: () => {}, unreadable: () => {}, closed: () => {} };
    const shared = { flags: numbers(flagCount), needed: numbers(1) };
    const port = new ProcessPort(child, job, shared, events, new AbortController().signal);
    const errors: unknown[] = [];
    port.on('error', (error) => errors.push(error));
    const exit = new Promise((resolve) => port.once('exit', resolve));

    // The loop of the host does nothing else meanwhile.
    const pid = port.pid ?? 0;
    for (let left = 2_000; !isDead(pid); left -= 1) {
      if (left === 0) throw new Error(`process ${pid} was to end itself, and did not`);
      spawnSync('sleep', ['0.01']);
    }
    port.post({ type: 'ping', nonce: 1, isPatient: false });

    expect(await within(exit, 'the exit')).toBe(3);
    expect(errors).toEqual([]);
    port.close();
  },
);
