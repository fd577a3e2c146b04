// Plays one long storm over trees of 200 agents on 16 threads, or with STORM_PARKING=always all of them live on four: STORM_STEPS
// moves (20,000), from STORM_SEED or a seed that is printed. Run by `npm run storm`.
import fc from 'fast-check';
import { it } from 'vitest';
import { move } from './moves.ts';
import type { ScriptedTurn } from './scripted-agents.ts';
import { TreeStorm } from './tree-storm.ts';

const steps = Number(process.env['STORM_STEPS'] ?? 20_000);
const seed = Number(process.env['STORM_SEED'] ?? Date.now() % 2_147_483_647);

/** Few agents at a time, each with its thread for as long as it needs it; or many, which move at every wait. */
const crowd =
  process.env['STORM_PARKING'] === 'always'
    ? { maxLiveAgents: 1_000, threads: { max: 4, parking: 'always' as const } }
    : { maxLiveAgents: 16 };

/** A root hands to 18, each of which hands to 18: ten of them fill the tree up to its limit of 200. */
const below: Readonly<Record<string, string>> = { root: 'orchestrator', orchestrator: 'leaf' };
const width = 18;

it(`hold through ${steps} moves over trees of 200 agents, from seed ${seed} (O2, S4, S8, M2, V5, V7, C45, C46, X5, L1)`, async () => {
  process.stdout.write(`seed ${seed}\n`);
  const moves = fc.sample(move, { numRuns: steps, seed });
  const storm = new TreeStorm({
    ...crowd,
    maxTotalAgents: 200,
    maxConcurrentChildren: width,
    atOnce: (request, goal, nextGoal): ScriptedTurn | null => {
      const [kind = '', number] = goal.split(' ');
      const child = below[kind];
      if (child !== undefined && request.turn === 1) {
        const goals = Array.from({ length: width }, () => nextGoal(child));
        return { calls: [['delegate', { goals }]] };
      }
      // Every other leaf has nothing to add: the tree comes on without a move.
      return kind === 'leaf' && Number(number) % 2 === 0 ? { calls: [] } : null;
    },
    rootKind: 'root',
    gust: 5,
  });
  try {
    await storm.begin();
    await storm.play(moves);
    await storm.calm();
  } finally {
    process.stdout.write(`${storm.report()}\n`);
    await storm.end();
  }
});
