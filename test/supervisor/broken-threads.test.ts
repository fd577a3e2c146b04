// Checks agents on threads that an earlier agent broke: at most one of them pays for it.
import { expect, it } from 'vitest';
import { answered, supervise, toolFixture, within } from './support.ts';

const says = (name: string, input = {}) => [{ toolCalls: [{ name, input }] }, { text: 'done' }];
const tools = [toolFixture('breaks')];
const agents = [{ name: 'poisoner' }, { name: 'shatterer' }, { name: 'worker' }];
const script = {
  default: [],
  agents: { poisoner: says('poison'), worker: says('work') },
};

it('a tool that spoils its module costs one agent, and twice ends the reuse of its threads (V1)', async () => {
  const { supervisor, watch } = supervise(script, { tools, agents });
  const ends: string[] = [];
  const logged = (wanted: 'error' | 'warn') =>
    watch.of('log').filter(({ level }) => level === wanted);
  const run = async (agent: string): Promise<void> => {
    const outcome = await within(supervisor.delegate({ goal: 'a', agent }), `the ${agent}`);
    ends.push(outcome.exitReason);
  };

  for (const agent of ['poisoner', 'worker', 'worker', 'worker']) await run(agent);
  expect(ends).toEqual(['goal', 'crashed', 'goal', 'goal']);
  expect(logged('error')).toMatchObject([{ message: 'agent worker crashed' }]);
  expect(logged('warn')).toEqual([]);
  for (const agent of ['poisoner', 'worker']) await run(agent);
  expect(logged('warn')).toMatchObject([
    { message: expect.stringContaining(tools[0]?.href ?? ''), failure: {} },
  ]);
  for (const agent of ['poisoner', 'worker', 'poisoner', 'worker']) await run(agent);

  expect(ends.slice(4)).toEqual(['goal', 'crashed', 'goal', 'goal', 'goal', 'goal']);
});

it.each([
  'a function',
  'a namespace',
  'a property that all lists inherit',
  'a property that hides an inherited one',
  'an iterator',
  'a static function of Node',
])(
  'a tool that replaces what the language and Node bring costs no other agent anything (%s) (V1)',
  async (what) => {
    const shatterer = says('shatter', { what });
    const { supervisor, model, watch } = supervise(
      { ...script, agents: { ...script.agents, shatterer } },
      { tools, agents },
    );
    const run = (agent: string) =>
      within(supervisor.delegate({ goal: 'a', agent }), `the ${agent}`);

    await run('shatterer');
    const outcomes = [await run('worker'), await run('worker')];

    expect(outcomes.map(({ exitReason }) => exitReason)).toEqual(['goal', 'goal']);
    expect(answered(model)).toEqual([[expect.stringMatching(/^\d+$/), false]]);
    expect(watch.of('thread_lost')).toHaveLength(1);
    expect(watch.of('log')).toEqual([]);
  },
);
