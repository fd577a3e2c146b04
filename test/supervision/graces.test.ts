// Checks that a tree has one deadline, whoever in it ends first (S3, S4, V5).
import { expect, it } from 'vitest';
import { stop } from '#src/actor/behavior.js';
import { gate, reacting, testKernel, untilAborted } from '../support/kernel.ts';

it('gives children both graces when their parent ends at once (S4)', async () => {
  const { kernel, clock, untilIdle } = testKernel();
  const top = kernel.spawnInline(
    reacting((_message, self) => untilAborted(self.signal).catch(() => stop())),
    { name: 'top' },
  );
  const leaf = kernel.spawnInline(
    reacting(() => gate().passed),
    { name: 'leaf', parent: top, scope: 'run' },
  );
  top.tell('work');
  leaf.tell('ignore');
  await untilIdle();

  const receipts = top.interrupt({ scope: 'agent' });
  await clock.advance(3_999);
  expect(kernel.tree.node(leaf.id)).toBeDefined();
  await clock.advance(1);

  expect(await receipts).toMatchObject([
    { path: '/top', stage: 'interrupted', elapsedMs: 4_000 },
    { path: '/top/leaf', stage: 'killed', elapsedMs: 4_000 },
  ]);
});
