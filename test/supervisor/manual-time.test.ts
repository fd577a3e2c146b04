// Checks that time which is moved by hand plays whole runs: threads, tools, children and models have said what they have to say
// when the move is over.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { defineTool } from '#src/index.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { superviseInManualTime, toolFixture, within } from './support.ts';

const self = fileURLToPath(import.meta.url);
const reads = defineTool({
  name: 'reads',
  description: 'Reads a file in the service.',
  input: z.object({}),
  run: async () => (await readFile(self, 'utf8')).length,
});

/** Ten turns with a call each, then the answer. */
function tenCalls(name: string, input: unknown, step: { readonly delayMs?: number } = {}) {
  const turn = { ...step, toolCalls: [{ name, input }] };
  return { default: [...Array.from({ length: 10 }, () => turn), { ...step, text: 'done' }] };
}

describe('a manual clock', () => {
  it.each([
    ['tools of the service', 'reads', {}, { tools: [reads] }, {}],
    ['tools of a module', 'echo', { text: 'a' }, { tools: [toolFixture('plain')] }, {}],
    ['a toolset', 'write', { path: 'a.txt', content: 'a' }, {}, { toolsets: ['file'] }],
  ])('plays a run that calls %s to its end', async (_what, name, input, options, task) => {
    const script = tenCalls(name, input);
    const workspace = temporaryFolder();
    const { supervisor, model, clock } = superviseInManualTime(script, { workspace, ...options });
    const handle = supervisor.start({ goal: 'a', ...task });

    await within(clock.advance(1), 'the move');

    expect([model.requests().length, handle.status()]).toEqual([11, 'completed']);
  });

  it('stops in a run whose model takes longer, and plays the rest with the next move', async () => {
    const script = tenCalls('reads', {}, { delayMs: 100 });
    const { supervisor, model, clock } = superviseInManualTime(script, { tools: [reads] });
    const handle = supervisor.start({ goal: 'a' });

    await within(clock.advance(450), 'the first move');
    expect([model.requests().length, handle.status()]).toEqual([5, 'waiting']);
    await within(clock.advance(650), 'the second move');
    expect([model.requests().length, handle.status()]).toEqual([11, 'completed']);
  });

  it('plays children, those of background tasks too, and a spawned agent', async () => {
    const asks = { toolCalls: [{ name: 'delegate_task', input: { tasks: [{ goal: 'b' }] } }] };
    const { supervisor, clock } = superviseInManualTime(
      { default: [asks, { text: 'done' }], agents: { clerk: [{ text: 'noted' }] } },
      { tools: [delegateTaskTool()], limits: { maxSpawnDepth: 1 } },
    );
    const handle = supervisor.start({ goal: 'a' });
    const spawned = supervisor.spawn({ name: 'clerk' });
    const answered = spawned.then((clerk) => clerk.ask('what', { timeoutMs: 1_000 }));
    const ends: string[] = [];
    void answered.then(({ text }) => ends.push(text));

    await within(clock.advance(1), 'the move');

    expect([handle.status(), ends]).toEqual(['completed', ['noted']]);
  });

  it('plays a run of a model in the gateway’s thread', async () => {
    const { supervisor, clock } = superviseInManualTime({ default: [] }, { model: 'offline' });
    const handle = supervisor.start({ goal: 'Read manual.txt.', toolsets: ['file'] });

    await within(clock.advance(60_000), 'the move');

    expect(handle.status()).not.toBe('running');
    expect((await within(handle.result(), 'the outcome')).turns).toBeGreaterThan(0);
  });

  it('is over though a tool waits for what only comes after it, or spins', async () => {
    const never = defineTool({
      name: 'never',
      description: 'Waits.',
      input: z.object({}),
      run: (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })),
    });
    const { supervisor, clock, watch } = superviseInManualTime(
      { agents: { waits: tenCalls('never', {}).default, spins: tenCalls('spin', {}).default } },
      { tools: [never, toolFixture('stubborn')] },
    );
    const handles = ['waits', 'spins'].map((name) =>
      supervisor.start({ goal: 'a', agent: { name } }),
    );

    for (const tool of ['never', 'spin']) {
      await watch.next('tool_started', ({ name }) => name === tool);
    }
    await within(clock.advance(1_000), 'the move');

    expect(
      watch
        .of('tool_started')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['never', 'spin']);
    expect(handles.map((handle) => handle.status())).toEqual(['waiting', 'running']);
  });
});
