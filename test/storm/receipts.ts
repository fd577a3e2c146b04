// Owns what must hold of the receipts of an interrupt: each agent below the target has one, and is over (S4, S7).
import { receiptStages } from '#src/actor/ref.js';
import type { InterruptReceipt, TreeSnapshot } from '#src/index.js';
import type { StormModel } from './model.ts';

/** `covered` is what stood below the target, itself included, when it was interrupted. */
export function judgeReceipts(
  model: StormModel,
  facts: {
    readonly covered: readonly TreeSnapshot[];
    readonly receipts: readonly InterruptReceipt[];
    readonly target: string;
  },
): void {
  const { covered, receipts, target } = facts;
  const { faults } = model;
  const paths = receipts.map(({ path }) => path);
  const missing = covered.map(({ path }) => path).filter((path) => !paths.includes(path));
  if (missing.length > 0) faults.push(`S4: no receipt of ${missing.join(', ')} for ${target}`);
  if (new Set(paths).size < paths.length) faults.push(`S4: two receipts: ${paths.join(', ')}`);
  for (const { stage } of receipts) {
    if (!receiptStages.includes(stage)) faults.push(`S4: a receipt says ${stage}`);
  }
  for (const { taskId, agentId, path } of covered) {
    if (!model.hasEnded(taskId)) faults.push(`S4: ${path} goes on after its receipt`);
    const state = agentId === '' ? null : model.stateOf(agentId);
    if (state !== null && state !== 'stopped') faults.push(`S7: ${path} is ${state}`);
  }
}
