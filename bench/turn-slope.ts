// Owns what one turn costs, as the slope between a short and a long run. Judges nothing.
import assert from 'node:assert/strict';
import type { Supervisor } from '#src/index.js';

export const shortTurns = 2;
export const longTurns = 12;

/** A run of the agent `short` or `long`; every turn but the last calls one tool. */
export async function delegateRun(supervisor: Supervisor, turns: number): Promise<void> {
  const agent = turns === shortTurns ? 'short' : 'long';
  const outcome = await supervisor.delegate({ goal: 'count', agent });
  assert.equal(outcome.status, 'completed', outcome.error?.message);
  assert.equal(outcome.turns, turns, 'turns');
  assert.equal(outcome.toolCalls, turns - 1, 'tool calls');
}

/** us a turn: one sample for each pair of a short and a long run. */
export async function slopes(
  pairs: number,
  run: (turns: number) => Promise<void>,
): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const short = await timed(() => run(shortTurns));
    const long = await timed(() => run(longTurns));
    samples.push(((long - short) / (longTurns - shortTurns)) * 1_000);
  }
  return samples;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
