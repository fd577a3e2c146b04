// Checks that what an agent left behind in its thread is never the end of the next one (V1, W5).
import { describe, expect, it } from 'vitest';
import type { Supervisor } from '#src/index.js';
import type { Script, ScriptStep } from '#src/testing.js';
import { delegate, handsTo, named } from './family.ts';
import { answered, inShort, supervise, toolFixture, within } from './support.ts';

const callsOnce = (name: string, input: unknown = {}): readonly ScriptStep[] => [
  { text: 'calling', toolCalls: [{ name, input }] },
  { text: 'done' },
];

/** `first` leaves something behind, `second` comes after it, on one thread if it may. */
function arrange(left: string, second: readonly ScriptStep[]) {
  const script: Script = { agents: { first: callsOnce('leave', { what: left }), second } };
  return supervise(script, {
    tools: [toolFixture('leaves')],
    agents: named('first', 'second'),
    limits: { maxLiveAgents: 1 },
  });
}

describe('what an agent left behind in its thread', () => {
  it.each(['an unreferenced timer', 'an unreferenced interval that burns', 'immediates that burn'])(
    'ends the thread with it, before another agent comes (%s) (W5)',
    async (left) => {
      const { supervisor, model, watch } = arrange(left, callsOnce('meet'));

      await within(supervisor.delegate({ goal: 'a', agent: 'first' }), 'the first');
      const second = supervisor.delegate({ goal: 'b', agent: 'second' });

      expect(inShort(await within(second, 'the second'))).toEqual(['goal', undefined, 'done']);
      expect(watch.of('thread_lost')).toHaveLength(1);
      expect(new Set(threadsIn(model.requests())).size).toBe(2);
    },
  );

  it('and fails later is no end of the agent that is there then, and the thread is lost for it (V1)', async () => {
    const { supervisor, model, watch } = arrange('a promise', callsOnce('meet'));

    await within(supervisor.delegate({ goal: 'a', agent: 'first' }), 'the first');
    const second = supervisor.delegate({ goal: 'b', agent: 'second' });

    expect(inShort(await within(second, 'the second'))).toEqual(['goal', undefined, 'done']);
    const lost = await watch.next('thread_lost');
    expect(lost.failure).toMatchObject({ code: 'crashed', message: 'left behind' });
    expect(new Set(threadsIn(model.requests())).size).toBe(1);
    const third = await within(supervisor.delegate({ goal: 'c', agent: 'second' }), 'the third');
    expect(third.status).toBe('completed');
    expect(watch.of('thread_spawned')).toHaveLength(2);
  });

  it('is its own affair when it is what the agent itself does (V1)', async () => {
    const { supervisor, watch } = arrange('a promise', callsOnce('stumble'));

    await within(supervisor.delegate({ goal: 'a', agent: 'first' }), 'the first');
    const second = supervisor.delegate({ goal: 'b', agent: 'second' });

    const { exitReason, error } = await within(second, 'the second');
    expect([exitReason, error?.message]).toEqual(['crashed', 'left behind']);
    expect(watch.of('thread_lost')).toHaveLength(1);
  });

  it('and fails while no agent is there loses the thread, and the next agent never knows (V1)', async () => {
    const { supervisor, watch } = arrange('a channel', callsOnce('meet'));
    await within(supervisor.delegate({ goal: 'a', agent: 'first' }), 'the first');
    const channel = new BroadcastChannel('troupe-test-leaves');

    channel.postMessage('now');

    const { failure } = await watch.next('thread_lost');
    channel.close();
    expect(failure).toMatchObject({ code: 'crashed', message: 'left behind' });
    const second = supervisor.delegate({ goal: 'b', agent: 'second' });
    expect(inShort(await within(second, 'the second'))).toEqual(['goal', undefined, 'done']);
  });

  it('by a run that is parked does not end the child that has its thread meanwhile (V1, W5)', async () => {
    const { supervisor, model, watch } = supervise(
      {
        agents: {
          first: [
            { toolCalls: [{ name: 'leave', input: { what: 'a promise' } }] },
            handsTo('second'),
            { text: 'first done' },
          ],
          second: callsOnce('meet'),
        },
      },
      {
        tools: [delegate, toolFixture('leaves')],
        agents: named('first', 'second'),
        limits: { maxLiveAgents: 1 },
      },
    );

    const outcome = await within(supervisor.delegate({ goal: 'a', agent: 'first' }), 'the tree');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'first done']);
    expect(answered(model)).toEqual([['done', false]]);
    expect(watch.of('thread_lost')).toHaveLength(1);
  });
});

it.each<[string, (supervisor: Supervisor) => Promise<unknown>]>([
  ['as a task', (supervisor) => supervisor.start({ goal: 'b', agent: 'second' }).interrupt()],
  [
    'in the background of a session',
    (supervisor) =>
      supervisor
        .session('chat')
        .start({ goal: 'b', agent: 'second' })
        .interrupt({ scope: 'subtree' }),
  ],
])(
  'nothing is left behind by an agent that is interrupted while its module is loaded, %s (W5)',
  async (_how, interrupted) => {
    const { supervisor, watch } = supervise(
      { default: [{ text: 'done' }], agents: { first: [{ hang: true }] } },
      { tools: [toolFixture('leaves')], agents: named('first', 'second') },
    );
    // One thread has the module and is taken; the other has served without it.
    const first = supervisor.start({ goal: 'a', agent: 'first' });
    await watch.next('turn_started', ({ taskId }) => taskId === first.id);
    await within(supervisor.delegate({ goal: 'bare', tools: [] }), 'the bare one');
    expect(watch.of('thread_spawned')).toHaveLength(2);

    await within(interrupted(supervisor), 'the interrupt');

    const next = supervisor.delegate({ goal: 'c', agent: 'second' });
    expect((await within(next, 'the next')).status).toBe('completed');
    expect([watch.of('thread_lost').length, watch.of('thread_spawned').length]).toEqual([0, 2]);
  },
);

/** The threads that `leave` and `meet` told of. */
function threadsIn(requests: readonly { readonly messages: readonly unknown[] }[]) {
  return requests.flatMap(({ messages }) => {
    const last = messages.at(-1) as { content: readonly { type: string; content?: unknown }[] };
    return last.content.flatMap((block) => (block.type === 'tool_result' ? [block.content] : []));
  });
}
