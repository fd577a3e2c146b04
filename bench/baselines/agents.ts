// Owns the one-turn agents that fan-out is compared with: four frameworks in-process, and a piscina task around the bare loop.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { Contestant, LeftOut } from '../harness.ts';
import { loadAgentPeers } from '../peers.ts';
import type { Size } from '../scenario.ts';
import type { BareOutcome, BareTask } from '../threads/bare-loop.ts';

/** How long and how wide one round delegates, and whether each task calls one tool. */
export type Load = {
  /** The same time for everyone, so that what is compiled late is compiled as late for all. */
  readonly roundMs: number;
  readonly concurrency: number;
  readonly withTool: boolean;
};

export type Rate = { readonly tasks: number; readonly perSecond: number };

/** Tasks per second when `runOne` does one after another for a round's time, `concurrency` at a time. */
export async function rateOf(
  { roundMs, concurrency }: Load,
  runOne: (goal: string) => Promise<void>,
): Promise<Rate> {
  let tasks = 0;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      do {
        tasks += 1;
        await runOne(`task ${tasks}`);
      } while (performance.now() - begun < roundMs);
    }),
  );
  return { tasks, perSecond: tasks / ((performance.now() - begun) / 1_000) };
}

/** Each framework's own agent on its own instant model; built once, run once per task. */
export async function agentPeers(
  load: Load,
  size: Size,
): Promise<{ contestants: readonly Contestant[]; leftOut: readonly LeftOut[] }> {
  const { peers, leftOut } = await loadAgentPeers(size);
  const contestants = peers.map(({ name, peer }): Contestant => {
    let toolCalls = 0;
    const onTool = () => {
      toolCalls += 1;
    };
    const agent = peer.createAgent({ withTool: load.withTool, onTool });
    return {
      name,
      async measure() {
        toolCalls = 0;
        const { tasks, perSecond } = await rateOf(load, async (goal) => {
          assert.equal(await agent.run(goal), 'done');
        });
        assert.equal(toolCalls, load.withTool ? tasks : 0, 'tool calls');
        return [perSecond];
      },
    };
  });
  return { contestants, leftOut };
}

/** Two pool threads that run the bare loop: what a thread pool costs without an agent. */
export function piscinaTask(load: Load): Contestant & AsyncDisposable {
  const toolTurns = load.withTool ? 1 : 0;
  const pool = new Piscina<BareTask, BareOutcome>({
    filename: fileURLToPath(new URL('../threads/bare-loop.js', import.meta.url)),
    minThreads: 2,
    maxThreads: 2,
  });
  return {
    name: 'piscina task',
    async measure() {
      const { perSecond } = await rateOf(load, async (goal) => {
        const outcome = await pool.run({ goal, toolTurns });
        assert.deepEqual(outcome, { text: 'done', toolCalls: toolTurns });
      });
      return [perSecond];
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
