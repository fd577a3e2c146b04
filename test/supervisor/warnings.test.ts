// Checks what a program hears of Node while its agents are busy: nothing.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { within } from './support.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../fixtures/programs/many-calls.js', import.meta.url));

it('makes 65 calls at once, on the host and in the thread, and Node warns of no leak (B26)', async () => {
  const { stdout, stderr } = await within(run(process.execPath, [program]), 'the end of it');

  expect([stdout, stderr]).toEqual(['completed done 130', '']);
});
