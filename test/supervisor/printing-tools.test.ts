// Checks, in a program of its own, that a tool which prints costs no thread, and that the close loses nothing it printed.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const here = (path: string): string => new URL(path, import.meta.url).href;

const program = `
import { createSupervisor } from ${JSON.stringify(here('../../dist/src/index.js'))};
import { scripted } from ${JSON.stringify(here('../../dist/src/testing.js'))};
const model = scripted({ default: [{ toolCalls: [{ name: 'print', input: {} }] }, { text: 'done' }] });
const tools = [new URL(${JSON.stringify(here('../fixtures/tools/prints.js'))})];
const supervisor = createSupervisor({ model, tools });
let threads = 0;
supervisor.on('thread_spawned', () => { threads += 1; });
const ends = [];
for (let run = 0; run < 4; run += 1) ends.push((await supervisor.delegate({ goal: 'a' })).status);
await supervisor.close();
console.log(JSON.stringify({ threads, ends }));
`;

it('a tool that prints just before its run ends leaves its thread clean, and all is printed (W5, V6)', () => {
  const args = ['--input-type=module', '--eval', program];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 });

  const lines = stdout.trim().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
    threads: 1,
    ends: ['completed', 'completed', 'completed', 'completed'],
  });
  expect(lines.slice(0, -1)).toEqual(['printed', 'printed', 'printed', 'printed']);
});
