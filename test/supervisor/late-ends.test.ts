// Checks runs whose actor is over and whose calls still say what their children came to: in order, and none is passed over.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type InterruptReceipt, type SupervisorOptions } from '#src/index.js';
import type { ScriptStep } from '#src/testing.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { named } from './family.ts';
import { gate, supervise, toolFixture, within } from './support.ts';

const collect = defineTool({
  name: 'collect',
  description: 'Has another agent do something, and answers with how it ended.',
  input: z.object({ agent: z.string() }),
  async run({ agent }, tool) {
    const [outcome] = await tool.delegate([{ goal: 'Do it.', agent }]);
    return outcome?.status;
  },
});

const calls = (name: string, input: unknown): ScriptStep => ({ toolCalls: [{ name, input }] });
const hang: readonly ScriptStep[] = [{ chunks: ['so far'], hang: true }];

/** A chief, a worker below it, and below that one an agent that hangs. */
const chain = (
  script: { readonly chief: readonly ScriptStep[]; readonly worker: readonly ScriptStep[] },
  options: Partial<SupervisorOptions>,
  maxLiveAgents: number,
) => {
  const { supervisor, watch } = supervise(
    { agents: { ...script, hang } },
    {
      ...options,
      limits: { maxSpawnDepth: 2, maxLiveAgents },
      agents: named('chief', 'worker', 'hang'),
    },
  );
  const handle = supervisor.start({ goal: 'a', agent: 'chief' });
  return { supervisor, watch, handle };
};

describe('a run whose calls still tell of its children', () => {
  it.each([
    ['in its thread', 16],
    ['parked', 2],
  ])(
    'ends before the run that began it in the background: %s (V5, S9, C45)',
    async (_where, maxLiveAgents) => {
      const go = gate();
      const begin = defineTool({
        name: 'begin',
        description: 'Starts a task in the background.',
        input: z.object({}),
        run: (_, tool) => tool.background.start({ goal: 'b', agent: 'worker' }),
      });
      const wait = defineTool({
        name: 'wait',
        description: 'Waits until it is told.',
        input: z.object({}),
        run: () => go.opened.then(() => 'opened'),
      });
      const { watch, handle } = chain(
        {
          chief: [calls('begin', {}), calls('wait', {}), { text: 'done' }],
          worker: [calls('collect', { agent: 'hang' })],
        },
        { tools: [collect, begin, wait] },
        maxLiveAgents,
      );
      await watch.next('model_delta', ({ text }) => text === 'so far');
      go.open();

      const { exitReason, usage } = await within(handle.result(), 'the outcome');

      expect(exitReason).toBe('goal');
      const ends = watch.of('task_completed');
      expect(ends.map(({ taskId }) => taskId)).toEqual(['t3', 't2', 't1']);
      const modelCalls = ends.map(({ outcome }) => outcome.usage.own.modelCalls);
      expect(usage.subtree.modelCalls).toBe(modelCalls.reduce((sum, each) => sum + each, 0));
    },
  );

  it('has a receipt of the interrupt of its parent (S4)', async () => {
    const file = join(await temporaryFolder(), 'now');
    const exits = { name: 'exit_when', input: { file } };
    const { supervisor, watch, handle } = chain(
      {
        chief: [calls('collect', { agent: 'worker' })],
        worker: [{ toolCalls: [{ name: 'collect', input: { agent: 'hang' } }, exits] }],
      },
      { tools: [collect, toolFixture('family')] },
      // What the worker asked for ends with it, and is over before it.
      1,
    );
    const receipts = new Promise<readonly InterruptReceipt[]>((resolve) => {
      supervisor.on('task_completed', ({ taskId }) => {
        if (taskId === 't3') resolve(handle.interrupt());
      });
    });
    await watch.next('task_queued', ({ taskId }) => taskId === 't3');
    await writeFile(file, '');

    const given = await within(receipts, 'the receipts');

    const [chief, worker] = watch.of('agent_started').map(({ path = '' }) => path);
    expect(given).toMatchObject([{ path: chief }, { path: worker, stage: 'stopped' }]);
    expect(watch.of('task_completed').map(({ taskId }) => taskId)).toEqual(['t3', 't2', 't1']);
  });
});
