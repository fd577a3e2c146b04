// T17: many agents that wait for a slow model, from process start, beside a framework that runs them in one process. Leaves out
// what happens in a warm process.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Comparison, compare } from '../harness.ts';
import { loadAgentPeers } from '../peers.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

type Load = {
  readonly name: string;
  readonly concurrency: number;
  readonly tasks: number;
  readonly turnMs: number;
  readonly variant: 'plain' | 'awaits' | 'computes' | 'long' | 'turns' | 'gateway';
  /** The bound on ours over `ai`. */
  readonly max: number;
};

const sizes: Sizes<{ readonly loads: readonly Load[]; readonly rounds: number }> = {
  smoke: {
    loads: [
      load('4 at a time', 4, 8, 'plain', 1, 10),
      load('4 at a time, over HTTP', 4, 8, 'gateway', 1, 10),
    ],
    rounds: 1,
  },
  normal: { loads: loads(), rounds: 1 },
  full: { loads: loads(), rounds: 5 },
};

const run = promisify(execFile);
const ours = fileURLToPath(new URL('../wide/load.js', import.meta.url));
const serverFile = fileURLToPath(new URL('../wide/model-server.js', import.meta.url));
const peer = fileURLToPath(new URL('../../../bench/peers/wide-ai.mjs', import.meta.url));

/**
 * Tasks of two turns of 250 ms with one thread tool call between them, at default options but for the limit on live agents:
 * wall from the start of the process to its end, and peak resident memory, beside the AI SDK in a process of its own.
 */
export const wide: Scenario = {
  name: 'wide',
  targets: ['T17'],
  description: 'tasks of 2 turns of 250 ms, 64 to 1,000 at a time, from process start',
  variants: ['troupe', 'ai'],
  async run(size: Size) {
    const { rounds } = sizes[size];
    const { leftOut } = await loadAgentPeers(size);
    const hasPeer = leftOut.every(({ name }) => name !== 'ai') && existsSync(peer);
    const comparisons: Comparison[] = [];
    for (const each of sizes[size].loads) {
      comparisons.push(...(await compared(each, rounds, hasPeer)));
    }
    return comparisons;
  },
};

async function compared(
  each: Load,
  rounds: number,
  hasPeer: boolean,
): Promise<readonly Comparison[]> {
  const peaks = new Map<string, number[]>();
  const measured = (name: string, file: string) => ({
    name,
    measure: async () => {
      await using server = each.variant === 'gateway' ? await modelServer(each.turnMs) : null;
      const begun = performance.now();
      const { maxRssKib } = await inProcess(file, each, server?.url ?? '');
      const ms = performance.now() - begun;
      peaks.set(name, [...(peaks.get(name) ?? []), maxRssKib]);
      return [ms];
    },
  });
  const baselines = hasPeer ? [measured('ai', peer)] : [];
  const leftOut = hasPeer ? [] : [{ name: 'ai', reason: 'not installed' }];
  const common = { rounds, warmups: 0, leftOut, figure: 'median' } as const;
  const wall = await compare({
    ...common,
    what: `${each.name}, wall`,
    unit: 'ms',
    ours: measured('troupe', ours),
    baselines,
    targets: hasPeer ? [{ id: 'T17', against: ['ai'], max: each.max }] : [],
  });
  const taken = (name: string) => ({
    name,
    measure: () => Promise.resolve([peaks.get(name)?.shift() ?? 0]),
  });
  const memory = await compare({
    ...common,
    what: `${each.name}, peak resident`,
    unit: 'kib',
    ours: taken('troupe'),
    baselines: hasPeer ? [taken('ai')] : [],
    targets: hasPeer ? [{ id: 'T17', against: ['ai'], max: 1.25 }] : [],
  });
  return [wall, memory];
}

/** Its own process: it takes no time of a process that is measured. */
async function modelServer(turnMs: number): Promise<AsyncDisposable & { readonly url: string }> {
  const child = spawn(process.execPath, [serverFile, String(turnMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { readonly url: string };
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}

async function inProcess(
  file: string,
  { concurrency, tasks, turnMs, variant }: Load,
  serverUrl: string,
): Promise<{ readonly maxRssKib: number }> {
  const args = [file, concurrency, tasks, turnMs, variant, serverUrl].map(String);
  const { stdout } = await run(process.execPath, args, { timeout: 300_000 });
  // The last line of our own program.
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { readonly maxRssKib: number };
}

function load(
  name: string,
  concurrency: number,
  tasks: number,
  variant: Load['variant'],
  max: number,
  turnMs = 250,
): Load {
  return { name, concurrency, tasks, turnMs, variant, max };
}

function loads(): readonly Load[] {
  return [
    load('1,024 tasks, 256 at a time', 256, 1_024, 'plain', 1),
    load('4,000 tasks, 1,000 at a time', 1_000, 4_000, 'plain', 0.8),
    load('256 tasks, 64 at a time', 64, 256, 'plain', 1.25),
    load('1,024, 256: a tool that awaits 250 ms', 256, 1_024, 'awaits', 1.25),
    load('256, 64: a tool of 20 ms CPU', 64, 256, 'computes', 1.25),
    load('1,024, 256: histories of 200 KB', 256, 1_024, 'long', 1.25),
    load('256, 64: 41 turns of 50 ms, a tool in each', 64, 256, 'turns', 1.25, 50),
    load('1,024, 256: a provider over HTTP', 256, 1_024, 'gateway', 1.25),
  ];
}
