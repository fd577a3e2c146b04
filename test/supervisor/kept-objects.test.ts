// Checks that what comes with a task goes with it: objects of the program, and keys, in every form of a task. The programs
// run in processes of their own, where garbage is collected on demand and heaps are read whole.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const start = promisify(execFile);

/** Heaps are read whole, on a machine that may have other things to do. */
const deadlineMs = 120_000;

async function run(name: string, flags: readonly string[] = []) {
  const program = fileURLToPath(new URL(`../fixtures/programs/${name}.js`, import.meta.url));
  const { stdout } = await start(process.execPath, [...flags, program], { timeout: deadlineMs });
  return JSON.parse(stdout);
}

describe('a supervisor that lives long', { timeout: deadlineMs + 10_000 }, () => {
  it('keeps no tool, hook, schema, model or definition of an ended task, in any form (D13)', async () => {
    const { statuses, given, alive } = await run('objects-of-tasks', ['--expose-gc']);

    const forms = 'delegate start map overrides spawn session background tree'.split(' ');
    expect(statuses).toEqual(forms.map((form) => `${form} completed`));
    expect(Object.values(given)).toEqual(Array(7).fill(24));
    expect(alive).toEqual(Object.fromEntries(Object.keys(given).map((kind) => [kind, 0])));
  });

  it('keeps no key of an ended task, on the host or in the gateway, whatever its API (C38)', async () => {
    const { statuses, heaps } = await run('keys-of-tenants');

    expect(statuses).toEqual(['completed']);
    expect(heaps).toEqual({
      host: { keys: 0, hasOperators: true },
      gateway: { keys: 0, hasOperators: true },
    });
  });
});
