// Checks the receipts of a spawned agent's end: what ran and what waited below its run has one each (S4).
import { describe, expect, it } from 'vitest';
import { delegate, handsTo, named } from './family.ts';
import { supervise, within } from './support.ts';

describe('the end of a spawned agent', () => {
  it.each(['interrupt', 'stop', 'kill'] as const)(
    'has a receipt for each agent below its run, those that wait included (%s) (S4, S8)',
    async (how) => {
      const { supervisor, watch } = supervise(
        { agents: { boss: [handsTo('leaf', 'leaf', 'leaf')], leaf: [{ hang: true }] } },
        { tools: [delegate], agents: named('boss', 'leaf'), limits: { maxLiveAgents: 2 } },
      );
      // Its run keeps one slot, so that the boss's, which is parked, and one child share the other.
      const beside = await supervisor.spawn('leaf', { name: 'beside' });
      beside.tell('go');
      await watch.next('turn_started');
      const boss = await supervisor.spawn('boss', { name: 'boss' });
      boss.tell('go');
      await watch.next('agent_started', ({ depth }) => depth === 1);

      const receipts = await within(
        how === 'interrupt' ? boss.interrupt({ scope: 'agent' }) : boss[how](),
        'the receipts',
      );

      const children = receipts.filter(({ path }) => path.startsWith('/boss/'));
      expect(receipts.map(({ path }) => path)).toContain('/boss');
      expect(children).toHaveLength(3);
      expect(children.filter(({ stage }) => stage === 'not_started')).toHaveLength(2);
      expect(new Set(children.map(({ path }) => path)).size).toBe(3);
      expect(supervisor.totals()).toMatchObject({ live: 1, queued: 0 });
    },
  );
});
