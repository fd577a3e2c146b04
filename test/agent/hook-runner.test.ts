// Checks which hooks of a plan are called, and that a plan without any costs nothing: no service is asked.
import { describe, expect, it } from 'vitest';
import type { Self } from '#src/actor/behavior.js';
import { HookRunner } from '#src/agent/hook-runner.js';
import type { WorkerEnvironment } from '#src/agent/worker-environment.js';
import type { AgentArgs } from '#src/protocol/agent-args.js';
import type { Message } from '#src/protocol/history.js';
import type { PlannedHooks } from '#src/protocol/hooks.js';
import type { HostHookCall } from '#src/protocol/host-services.js';
import type { RunEnd } from '#src/protocol/run-events.js';

const messages: readonly Message[] = [{ role: 'user', content: [{ type: 'text', text: 'a' }] }];
const call = { turn: 1, callId: 'c1', name: 't', input: { n: 1 } };
const done: RunEnd = { exitReason: 'goal', text: 'done' };

/** A runner over these hooks, whose host answers by the name of the hook, and what the host was asked. */
function runnerOver(
  hooks: readonly PlannedHooks[],
  answers: Readonly<Record<string, unknown>> = {},
) {
  const asked: unknown[] = [];
  const around = {
    host: {
      callHook: async ({ at, name, subject }: HostHookCall) => {
        asked.push([at, name, subject]);
        return answers[`${name}${at}`];
      },
    },
  };
  const spec = { hooks: hooks.length === 0 ? undefined : hooks, toolSettings: {} };
  const { signal } = new AbortController();
  // Only what a runner reaches for is there.
  const runner = new HookRunner({
    args: { agent: {}, spec } as unknown as AgentArgs,
    runId: 't1',
    loaded: { tools: new Map(), hooks: new Map() },
    around: around as unknown as WorkerEnvironment,
    self: { signal, flush: () => {}, publish: () => {} } as unknown as Self,
  });
  return { runner, asked, signal };
}

/** A whole run in short: every point at which hooks may be. */
async function everyPoint({ runner, signal }: ReturnType<typeof runnerOver>) {
  const inputs: unknown[] = [];
  const refusal = await runner.beforeRun(messages);
  const request = await runner.beforeTurn(1, messages);
  const result = await runner.aroundTool(call, signal, async (input) => {
    inputs.push(input);
    return { content: 'ran', isError: false };
  });
  return { refusal, request, inputs, result, end: await runner.afterRun(done) };
}

describe('the hooks of a run', () => {
  it('are not asked for when there are none', async () => {
    const without = runnerOver([]);

    const run = await everyPoint(without);

    expect(without.asked).toEqual([]);
    expect(without.runner.hasToolHooks).toBe(false);
    expect(run.refusal).toBeNull();
    expect(run.request).toBe(messages);
    expect(run.end).toBe(done);
  });

  it('are asked for by the names there are, in order, and never sent the conversation (D5)', async () => {
    const some = runnerOver([
      { names: ['beforeTurn', 'afterRun'] },
      { names: ['beforeTurn', 'beforeTool'] },
    ]);

    await everyPoint(some);

    expect(some.asked).toEqual([
      [0, 'beforeTurn', { turn: 1, messages: undefined }],
      [1, 'beforeTurn', { turn: 1, messages: undefined }],
      [1, 'beforeTool', call],
      [0, 'afterRun', done],
    ]);
  });

  it('hand on what each changed, and the first denial ends the question', async () => {
    const both: PlannedHooks = { names: ['beforeRun', 'beforeTurn', 'beforeTool', 'afterTool'] };
    const changing = runnerOver([both, both], {
      beforeRun1: { deny: 'no run' },
      beforeTurn0: { append: 'one' },
      beforeTurn1: { append: 'two' },
      beforeTool0: { input: { n: 2 } },
      afterTool0: { result: 'changed' },
    });
    const denying = runnerOver([both, both], { beforeTool0: { deny: 'no call' } });

    const changed = await everyPoint(changing);
    const denied = await everyPoint(denying);

    expect(changed.refusal).toMatchObject({ error: { code: 'hook_denied', message: 'no run' } });
    expect(changed.request.at(-1)?.content.at(-1)).toEqual({
      type: 'text',
      text: 'one\n\ntwo',
      isTransient: true,
    });
    expect(changed.inputs).toEqual([{ n: 2 }]);
    expect(changing.asked).toContainEqual([1, 'beforeTool', { ...call, input: { n: 2 } }]);
    expect(changing.asked).toContainEqual([
      1,
      'afterTool',
      { ...call, input: { n: 2 }, result: 'changed', isError: false, failure: undefined },
    ]);
    expect(changed.result.content).toBe('changed');
    expect(denied.inputs).toEqual([]);
    expect(denied.result).toMatchObject({ content: 'no call', isError: true });
    expect(denying.asked.filter((each) => JSON.stringify(each).includes('Tool'))).toHaveLength(1);
  });
});
