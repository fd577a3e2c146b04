// Proves that writes of many threads to one file never show a reader half of one.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../fixtures/tool-context.ts';

const size = 200_000;
const rounds = 40;

/** Writes the same file again and again, with its own letter, then says that it is done. */
const writer = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { module, workspace, letter, size, rounds } = workerData;
  import(module).then(({ writeTool }) => {
    const tool = { workspace, recordFile() {}, interrupted: () => false };
    for (let round = 0; round < rounds; round += 1) {
      writeTool.run({ path: 'shared.txt', content: letter.repeat(size) }, tool);
      parentPort.postMessage('written');
    }
  });
`;

test('replaces a file whole under the eyes of a reader and of other writers', async () => {
  const workspace = temporaryFolder();
  const module = import.meta.resolve('#src/tools/builtin/write.js');
  const torn: string[] = [];

  const check = () => {
    const content = readFileSync(join(workspace, 'shared.txt'), 'utf8');
    const isWhole = content === 'a'.repeat(size) || content === 'b'.repeat(size);
    if (!isWhole) torn.push(content.slice(0, 40));
  };
  const ended = ['a', 'b'].map((letter) => {
    const workerData = { module, workspace, letter, size, rounds };
    const worker = new Worker(writer, { eval: true, workerData });
    worker.on('message', check);
    return new Promise<void>((resolve, reject) => {
      worker.once('error', reject);
      worker.once('exit', () => resolve());
    });
  });
  await Promise.all(ended);

  expect(torn).toEqual([]);
  expect(readdirSync(workspace)).toEqual(['shared.txt']);
});
