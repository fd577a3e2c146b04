// Checks what an operator sees of a tree of real threads: who is there and was, what each branch came to, what was said.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type TreeSnapshot } from '#src/index.js';
import { delegate, handsTo, named } from './family.ts';
import { gate, rejection, supervise, toolFixture, within } from './support.ts';

const touch = (path: string) => ({ name: 'touch', input: { path } });
const usage = { inputTokens: 10, outputTokens: 1 };

/** A root with two children; the first has ended with its own child, the second waits in a tool until it is let go. */
function family() {
  const waiting = gate();
  const release = gate();
  const waitTool = defineTool({
    name: 'hold',
    description: 'Waits to be let go.',
    input: z.object({}),
    async run() {
      waiting.open();
      await release.opened;
      return 'let go';
    },
  });
  const { supervisor, watch } = supervise(
    {
      agents: {
        top: [
          { ...handsTo('quick', 'slow'), usage },
          { text: 'top done', usage },
        ],
        quick: [
          { ...handsTo('deep'), usage },
          { text: 'quick done', usage },
        ],
        slow: [
          { toolCalls: [touch('slow.txt'), { name: 'hold', input: {} }], usage },
          { text: 'slow done', usage },
        ],
        deep: [
          { toolCalls: [touch('deep.txt')], usage },
          { text: 'deep done', usage },
        ],
      },
    },
    {
      tools: [delegate, waitTool, toolFixture('plain')],
      agents: named('top', 'quick', 'slow', 'deep'),
      limits: { maxSpawnDepth: 2 },
    },
  );
  const handle = supervisor.start({ goal: 'Go.', agent: 'top', name: 'top' });
  const quickEnded = watch.next('task_completed', ({ outcome }) => outcome.agent.name === 'quick');
  return { supervisor, watch, handle, waiting: waiting.opened, release: release.open, quickEnded };
}

/** A tree as lines: name, status, children in brackets. */
function inShort({ name, status, children }: TreeSnapshot): string {
  const below = children.map(inShort).join(', ');
  return `${name} ${status}${below === '' ? '' : ` [${below}]`}`;
}

describe('the tree', () => {
  it('shows who is alive by its parent, and on request who has ended (C44)', async () => {
    const { supervisor, handle, waiting, release, quickEnded } = family();
    await within(waiting, 'the slow child');
    await quickEnded;

    expect(supervisor.tree().map(inShort)).toEqual(['top waiting [slow waiting]']);
    const [top] = supervisor.tree({ ended: true });
    expect(top && inShort(top)).toBe(
      'top waiting [quick completed [deep completed], slow waiting]',
    );
    const [quick, slow] = top?.children ?? [];
    expect(top?.parentId).toBeNull();
    expect([quick?.parentId, slow?.parentId]).toEqual([top?.agentId, top?.agentId]);
    expect(quick?.children[0]).toMatchObject({ parentId: quick?.agentId, depth: 2 });
    expect(slow).toMatchObject({ tool: 'hold', goal: 'Do part 1.' });

    release();
    await within(handle.result(), 'the outcome');

    expect(supervisor.tree()).toEqual([]);
    expect(supervisor.tree({ ended: true }).map(inShort)).toEqual([
      'top completed [quick completed [deep completed], slow completed]',
    ]);
  });

  it('shows the ended runs of a spawned agent below it, and as roots when it is gone (C44)', async () => {
    const { supervisor } = supervise({ default: [{ text: 'done' }] });
    const agent = await within(supervisor.spawn({ name: 'stays' }), 'the agent');

    await within(agent.ask('one', { timeoutMs: 10_000 }), 'the first answer');
    await within(agent.ask('two', { timeoutMs: 10_000 }), 'the second answer');

    expect(supervisor.tree({ ended: true }).map(inShort)).toEqual([
      expect.stringMatching(/^stays (idle|passivated) \[stays completed, stays completed\]$/),
    ]);
    await within(agent.stop(), 'the stop');
    expect(supervisor.tree({ ended: true }).map(inShort)).toEqual([
      'stays completed',
      'stays completed',
    ]);
  });

  it('says which option is wrong (C44)', () => {
    const { supervisor } = supervise({ default: [] });

    // What a program without types may hand over.
    const wrong = { ended: 'yes' } as unknown as { ended: boolean };
    expect(() => supervisor.tree(wrong)).toThrow(/tree: ended is "yes"/);
  });
});

describe('totals of a branch', () => {
  it('sum cost, tokens and files of children into ancestors, while they run and after (C45)', async () => {
    const { supervisor, handle, waiting, release, quickEnded, watch } = family();
    await within(waiting, 'the slow child');
    const { outcome: quick } = await quickEnded;
    const { taskId: slow = '' } = await watch.next('tool_started', ({ name }) => name === 'hold');
    // The calls of a turn run side by side: the other one may come to its end later.
    await watch.next('tool_completed', ({ name, taskId }) => name === 'touch' && taskId === slow);

    expect(supervisor.totals(handle.id)).toMatchObject({
      agents: 4,
      // Its root waits for it.
      live: 1,
      queued: 0,
      usage: { inputTokens: 60, outputTokens: 6, costUsd: 0 },
    });
    expect([...supervisor.totals('/top').filesTouched].sort()).toEqual(['deep.txt', 'slow.txt']);
    expect(supervisor.totals(quick.agent.path)).toMatchObject({
      agents: 2,
      live: 0,
      usage: { inputTokens: 40 },
      filesTouched: ['deep.txt'],
    });
    expect(supervisor.totals(slow)).toMatchObject({
      agents: 1,
      live: 1,
      usage: { inputTokens: 10 },
      filesTouched: ['slow.txt'],
    });

    release();
    const outcome = await within(handle.result(), 'the outcome');

    for (const id of [handle.id, outcome.agent.id, '/top']) {
      const { filesTouched, ...totals } = supervisor.totals(id);
      expect(totals).toEqual({ agents: 4, live: 0, queued: 0, usage: outcome.usage.subtree });
      expect([...filesTouched].sort()).toEqual(['deep.txt', 'slow.txt']);
    }
    expect([...supervisor.totals().filesTouched].sort()).toEqual(['deep.txt', 'slow.txt']);
    expect(supervisor.totals()).toMatchObject({ agents: 4, live: 0, usage: outcome.usage.subtree });
  });

  it('of a spawned agent count what its earlier runs delegated (C45)', async () => {
    const { supervisor } = supervise(
      {
        agents: {
          top: [handsTo('part', 'part'), { text: 'top done' }],
          part: [{ toolCalls: [touch('part.txt')] }, { text: 'part done' }],
        },
      },
      {
        tools: [delegate, toolFixture('plain')],
        agents: named('top', 'part'),
        threads: { parking: 'when-needed' },
      },
    );
    const agent = await within(supervisor.spawn('top'), 'the agent');

    await within(agent.ask('one', { timeoutMs: 10_000 }), 'the first answer');

    expect(supervisor.totals(agent.id)).toMatchObject({
      agents: 3,
      live: 1,
      queued: 0,
      usage: { modelCalls: 6 },
      filesTouched: ['part.txt'],
    });
  });
});

describe('the transcript', () => {
  it('of a child at depth 2 stays readable, turn by turn, after it returned (C47)', async () => {
    const { supervisor, watch, handle, waiting, release, quickEnded } = family();
    await within(waiting, 'the slow child');
    await quickEnded;
    const { outcome } = await watch.next(
      'task_completed',
      ({ outcome }) => outcome.agent.name === 'deep',
    );
    const { id, path, depth } = outcome.agent;

    const transcript = supervisor.transcript(outcome.taskId);

    expect(depth).toBe(2);
    expect(transcript.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(transcript.at(-1)).toMatchObject({ content: [{ type: 'text', text: 'deep done' }] });
    release();
    await within(handle.result(), 'the outcome');
    expect(supervisor.transcript(id)).toEqual(transcript);
    expect(supervisor.transcript(path)).toEqual(transcript);
    expect(await rejection((async () => supervisor.transcript('t99'))())).toMatchObject({
      code: 'unknown_task',
    });
  });
});
