// Owns the other systems under bench/peers: installs them on demand and loads their adapters. Knows no workload.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { LeftOut } from './harness.ts';
import type { Size } from './scenario.ts';

/** The adapters stay where their packages are installed, so they are loaded from the sources and not from the build. */
const folder = fileURLToPath(new URL('../../bench/peers/', import.meta.url));
const stamp = join(folder, 'node_modules', '.troupe-lock');

/** What one adapter measured. */
export type Timed = { readonly ms: number; readonly result: number };

/** The face of `nact.mjs` and `xstate.mjs`. */
export type ActorPeer = {
  readonly pingPong: (roundTrips: number) => Promise<Timed>;
  readonly counting: (messages: number) => Promise<Timed>;
  readonly ring: (size: number, hops: number) => Promise<Timed>;
  readonly forkJoin: (actors: number) => Promise<Timed>;
};

export type AgentOptions = { readonly withTool: boolean; readonly onTool: () => void };

/** The face of the adapters of agent frameworks. */
export type AgentPeer = {
  readonly createAgent: (options: AgentOptions) => {
    readonly run: (goal: string) => Promise<unknown>;
  };
};

type Loaded<Peer> = {
  readonly peers: readonly { readonly name: string; readonly peer: Peer }[];
  readonly leftOut: readonly LeftOut[];
};

/** The actor libraries of T16. */
export function loadActorPeers(size: Size): Promise<Loaded<ActorPeer>> {
  return load<ActorPeer>(['nact', 'xstate'], size);
}

/** The agent frameworks of T4. */
export function loadAgentPeers(size: Size): Promise<Loaded<AgentPeer>> {
  return load<AgentPeer>(['ai', 'openai-agents', 'langgraph', 'deepagents'], size);
}

async function load<Peer>(names: readonly string[], size: Size): Promise<Loaded<Peer>> {
  const problem = ensureInstalled(size);
  if (problem !== null) {
    return { peers: [], leftOut: names.map((name) => ({ name, reason: problem })) };
  }
  const peers: { name: string; peer: Peer }[] = [];
  const leftOut: LeftOut[] = [];
  for (const name of names) {
    try {
      // The adapters are plain modules of this folder; `Peer` is their written contract.
      const peer = (await import(pathToFileURL(join(folder, `${name}.mjs`)).href)) as Peer;
      peers.push({ name, peer });
    } catch (cause) {
      leftOut.push({ name, reason: `does not load: ${String(cause)}` });
    }
  }
  return { peers, leftOut };
}

/** Installs from the lockfile when that is missing or stale; gives the reason when the peers cannot be had. */
function ensureInstalled(size: Size): string | null {
  const locked = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === locked) return null;
  if (size === 'smoke') return 'not installed, and a smoke run installs nothing';

  process.stderr.write('installing bench/peers from its lockfile\n');
  const install = spawnSync(
    process.platform === 'win32' ? 'npm.cmd' : 'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' },
  );
  if (install.status !== 0) {
    const lines = install.error?.message ?? install.stderr.trim();
    return `npm ci in bench/peers failed: ${lines.split('\n')[0] ?? ''}`;
  }
  writeFileSync(stamp, locked);
  return null;
}
