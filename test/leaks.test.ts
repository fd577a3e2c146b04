// Proves that the leak check sees what a test could leave behind, and nothing once it is gone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { census, lastingLeaks, leaksSince } from './leaks.ts';

const idle = 'setInterval(() => {}, 1e6)';

function plantThread(): () => Promise<unknown> {
  const worker = new Worker(idle, { eval: true });
  worker.unref();
  return () => worker.terminate();
}

function plantChild(): () => Promise<unknown> {
  const child = spawn(process.execPath, ['-e', idle], { stdio: 'ignore' });
  return () => {
    const exited = once(child, 'exit');
    child.kill();
    return exited;
  };
}

function plantTimer(): () => void {
  const timer = setTimeout(() => {}, 1e6);
  return () => clearTimeout(timer);
}

async function plantServer(): Promise<() => void> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return () => {
    server.close();
  };
}

test.each([
  ['1 thread', plantThread],
  ['1 child process', plantChild],
  ['1 timer', plantTimer],
  ['1 TCPServerWrap', plantServer],
])('sees %s left alive, until it is gone', async (leak, plant) => {
  const baseline = census();
  const remove = await plant();

  const seen = leaksSince(baseline);
  await remove();

  expect(seen).toEqual([leak]);
  expect(await lastingLeaks(baseline)).toEqual([]);
});

test('waits for what is closing', async () => {
  const baseline = census();
  const worker = new Worker('', { eval: true });

  expect(leaksSince(baseline)).toEqual(['1 thread']);
  await once(worker, 'exit');
  expect(await lastingLeaks(baseline)).toEqual([]);
});

test('does not count a timer that keeps no process alive', () => {
  const baseline = census();
  const timer = setTimeout(() => {}, 1e6).unref();

  expect(leaksSince(baseline)).toEqual([]);
  clearTimeout(timer);
});
