// Checks which hooks of an agent are called, and that an agent without any costs nothing: no service is asked.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { PlannedHooks } from '#src/protocol/hooks.js';
import type { HostHookCall } from '#src/protocol/host-services.js';
import { defineTool } from '#src/tools/define-tool.js';
import { describeTool } from '#src/tools/tool-module.js';
import { modelAnswer, resultsIn, runOf } from './run-driver.ts';

const call = { turn: 1, callId: 'c1', name: 't', input: { n: 1 } };
const done = { exitReason: 'goal', text: 'done' };

/** A whole run over these hooks on a host that answers by the name of the hook: every point at which hooks may be. */
async function everyPoint(
  hooks: readonly PlannedHooks[],
  answers: Readonly<Record<string, unknown>> = {},
) {
  const asked: unknown[] = [];
  const inputs: unknown[] = [];
  const tool = defineTool({
    name: 't',
    description: 't',
    input: z.object({ n: z.number() }),
    run: (input) => {
      inputs.push(input);
      return 'ran';
    },
  });
  const granted = [{ ...describeTool(tool), where: 'thread' as const }];
  const { run, events, requests } = runOf(
    [modelAnswer([{ type: 'tool_use', id: 'c1', name: 't', input: { n: 1 } }])],
    {
      spec: { tools: granted, ...(hooks.length === 0 ? {} : { hooks }) },
      tools: [tool],
      host: {
        callHook: async ({ at, name, subject }: HostHookCall) => {
          asked.push([at, name, subject]);
          return answers[`${name}${at}`];
        },
      },
    },
  );
  const end = await run.toEnd();
  return { asked, inputs, requests, end, result: resultsIn(events)[0] };
}

describe('the hooks of a run', () => {
  it('are not asked for when there are none', async () => {
    const { asked, inputs, requests, end } = await everyPoint([]);

    expect(asked).toEqual([]);
    expect(inputs).toEqual([{ n: 1 }]);
    expect(requests.map(({ length }) => length)).toEqual([1, 3]);
    expect(end).toEqual(done);
  });

  it('are asked for by the names there are, in order, and never sent the conversation (D5)', async () => {
    const { asked } = await everyPoint([
      { names: ['beforeTurn', 'afterRun'] },
      { names: ['beforeTurn', 'beforeTool'] },
    ]);

    expect(asked).toEqual([
      [0, 'beforeTurn', { turn: 1, messages: undefined }],
      [1, 'beforeTurn', { turn: 1, messages: undefined }],
      [1, 'beforeTool', call],
      [0, 'beforeTurn', { turn: 2, messages: undefined }],
      [1, 'beforeTurn', { turn: 2, messages: undefined }],
      [0, 'afterRun', done],
    ]);
  });

  it('hand on what each changed', async () => {
    const both: PlannedHooks = { names: ['beforeTurn', 'beforeTool', 'afterTool'] };

    const changed = await everyPoint([both, both], {
      beforeTurn0: { append: 'one' },
      beforeTurn1: { append: 'two' },
      beforeTool0: { input: { n: 2 } },
      afterTool0: { result: 'changed' },
    });

    const appended = { type: 'text', text: 'one\n\ntwo', isTransient: true };
    expect(changed.requests[0]?.at(-1)?.content.at(-1)).toEqual(appended);
    expect(changed.inputs).toEqual([{ n: 2 }]);
    expect(changed.asked).toContainEqual([1, 'beforeTool', { ...call, input: { n: 2 } }]);
    expect(changed.asked).toContainEqual([
      1,
      'afterTool',
      { ...call, input: { n: 2 }, result: 'changed', isError: false, failure: undefined },
    ]);
    expect(changed.result?.content).toBe('changed');
  });

  it('are asked no further once one denies', async () => {
    const both: PlannedHooks = { names: ['beforeRun', 'beforeTool'] };

    const run = await everyPoint([both, both], { beforeRun0: { deny: 'no run' } });
    const tool = await everyPoint([both, both], { beforeTool0: { deny: 'no call' } });

    expect(run.end).toMatchObject({ error: { code: 'hook_denied', message: 'no run' } });
    expect([run.asked.length, run.requests.length]).toEqual([1, 0]);
    expect(tool.inputs).toEqual([]);
    expect(tool.result).toMatchObject({ content: 'no call', is_error: true });
    expect(tool.asked.filter((each) => JSON.stringify(each).includes('Tool'))).toHaveLength(1);
  });
});
