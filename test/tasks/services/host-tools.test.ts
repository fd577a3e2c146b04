// Proves what host tools promise while they run: a result for every call, one key per call, ends that were early.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TroupeError } from '#src/base/failures.js';
import { OpenCalls } from '#src/tasks/open-calls.js';
import { RunTimers } from '#src/tasks/run-timers.js';
import type { HostTools } from '#src/tasks/services/host-tools.js';
import { RunServices } from '#src/tasks/services/run-services.js';
import type { CallServices } from '#src/tasks/services/tool-executor.js';
import type { Agent, Run } from '#src/tasks/state.js';
import { ManualClock } from '#src/testing.js';
import { defineTool } from '#src/tools/define-tool.js';
import type { AnyTool, ToolContext, ToolOutput } from '#src/tools/tool.js';
import { toolContext } from '../../fixtures/tool-context.ts';

const tool = (name: string, run: (context: ToolContext) => ToolOutput): AnyTool =>
  defineTool({
    name,
    description: name,
    input: z.object({ n: z.number().optional() }),
    run: (_input, context) => run(context),
  });

/** The host tools of a run that has one toolset, with these. */
function hostTools(tools: readonly AnyTool[]): HostTools {
  return runWith(tools).host;
}

function runWith(tools: readonly AnyTool[]): { readonly host: HostTools; readonly run: Run } {
  const services = {
    clock: new ManualClock(),
    openToolsets: {
      toolsFor: () => (name: string) => {
        if (name === 'breaks') throw new Error('its toolset did not open');
        return tools.find((each) => each.name === name);
      },
    },
    delegation: { backgroundOf: () => ({ calls: () => toolContext().background }) },
    onWaitChanged: () => {},
  } as unknown as CallServices;
  const spec = {
    name: 'a',
    skills: [],
    hostTools: new Map(),
    hostToolsets: [{}],
    requiredApprovals: new Map(),
    rights: { names: { has: () => true }, tools: [], commands: [] },
    shared: { workspace: '/nowhere', toolSettings: {} },
  };
  const calls = new OpenCalls(new RunTimers());
  const { signal } = new AbortController();
  const facts = { id: 'a1', path: '/a', depth: 0, spec, calls, signal, answers: null };
  const run = facts as unknown as Run;
  const host = new RunServices(services).hostToolsOf(run);
  if (host === null) throw new Error('the run has no host tools');
  return { host, run };
}

const tools = [
  tool('fine', () => 'fine'),
  tool('throws', () => {
    throw new Error('no');
  }),
  tool('null', () => null),
];

describe('host tools', () => {
  it('answer every call with a result that is kept, whatever is called with whatever (B26, B27)', async () => {
    const names = fc.constantFrom('fine', 'throws', 'null', 'nobody', 'breaks');
    const given = fc.oneof(fc.constantFrom({}, null, 'text', [], { n: 'x' }), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(names, given), { maxLength: 6 }), async (wanted) => {
        const { host, run } = runWith(tools);
        const calls = wanted.map(([name, input], at) => ({
          callId: `c${at}`,
          name,
          input,
          runId: 'r1',
          promptId: 'r1#0',
        }));

        const results = await Promise.all(calls.map((call) => host.call(call)));

        for (const [at, { content }] of results.entries()) {
          expect(content.length).toBeGreaterThan(0);
          expect(run.answers?.tools.get(`c${at}`)?.content).toEqual(content);
          expect(host.isDone(`c${at}`)).toBe(true);
        }
      }),
    );
  });

  it('hand out the same key when a call is repeated (M10)', async () => {
    const keys: string[] = [];
    const host = hostTools([tool('keep', ({ idempotencyKey }) => keys.push(idempotencyKey))]);
    const call = { callId: 'c1', name: 'keep', input: {}, runId: 'r1', promptId: 'r1#0' };

    await host.call(call);
    await host.call(call);

    expect(keys).toEqual(['r1:c1', 'r1:c1']);
  });

  it('end a call that was aborted before it came (B31)', async () => {
    const host = hostTools(tools);
    host.abort('c1', new TroupeError('interrupted', 'given up'));

    const result = await host.call({
      callId: 'c1',
      name: 'fine',
      input: {},
      runId: 'r1',
      promptId: 'r1#0',
    });

    expect(result).toMatchObject({ isError: true, content: 'given up' });
  });

  it('keep no result that comes after its turn for a later call of the same id (V8)', async () => {
    const ends: (() => void)[] = [];
    const { host, run } = runWith([
      tool('slow', () => new Promise((resolve) => ends.push(() => resolve('late')))),
    ]);
    const call = { callId: 'c1', name: 'slow', input: {}, runId: 'r1', promptId: 'r1#0' };
    const first = host.call(call);
    run.answers = null;
    const second = host.call({ ...call, promptId: 'r1#1' });
    await expect.poll(() => ends.length).toBe(2);

    ends[0]?.();
    expect(await first).toMatchObject({ content: 'late' });
    expect(host.isDone('c1')).toBe(false);
    expect(host.isOpen('c1')).toBe(true);

    ends[1]?.();
    await second;
    expect(host.isDone('c1')).toBe(true);
    expect(host.isOpen('c1')).toBe(false);
  });

  it('hear nothing of a call that is given up and is none of theirs (S5)', async () => {
    const host = hostTools(tools);
    const activations = new RunServices({} as unknown as CallServices);
    const run = {
      hostTools: host,
      thread: {},
      budget: { accounts: [] },
      calls: new OpenCalls(new RunTimers()),
    };
    const { services } = activations.activationOf({ run } as unknown as Agent);

    await services.abortTool({ callId: 'c1' }, new AbortController().signal);

    const call = { callId: 'c1', name: 'fine', input: {}, runId: 'r1', promptId: 'r1#0' };
    expect(await host.call(call)).toMatchObject({ isError: false, content: 'fine' });
  });
});
