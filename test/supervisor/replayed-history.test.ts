// Checks a task that carries what was said in earlier runs: replayed ahead of it, also where its run is parked, refused where it does not pair.
import { describe, expect, it } from 'vitest';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { directing, lastGoalOf } from '../support/directed.ts';
import { inShort, within } from './support.ts';

const history = [
  { role: 'system' as const, content: 'left out' },
  { role: 'user' as const, content: 'before' },
  { role: 'assistant' as const, content: 'indeed' },
];
const textsOf = (request: { messages: readonly { content: readonly object[] }[] } | undefined) =>
  (request?.messages ?? []).flatMap(({ content }) =>
    content.flatMap((block) => ('text' in block ? [String(block.text)] : [])),
  );

describe('a task with a history', () => {
  it('replays it ahead of its prompt, once, though its run was parked in between (A56, V7)', async () => {
    const { supervisor, model, watch } = directing(
      { plan: [{ calls: [['delegate_task', { goal: 'part' }]] }, { text: 'all done' }] },
      { tools: [delegateTaskTool()], limits: { maxLiveAgents: 1 } },
      lastGoalOf,
    );

    const outcome = await within(supervisor.delegate({ goal: 'plan', history }), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'all done']);
    expect(watch.of('agent_parked').length).toBeGreaterThanOrEqual(1);
    expect(model.requests('plan').map(textsOf)).toEqual(
      Array(2).fill(['before', 'indeed', 'plan']),
    );
  });

  it.each([
    [[{ role: 'nobody', content: 'x' }], /history/],
    [
      [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'http://a/b' } }] }],
      /history\.0\.content\.0\.source\.type is "url": expected base64/,
    ],
    [
      [{ role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'a', input: {} }] }],
      /every call to have its result/,
    ],
    [
      [
        { role: 'assistant', content: [{ type: 'text', text: 'a', shown: () => 'a function' }] },
        { role: 'user', content: 'b' },
      ],
      /history.*plain data/,
    ],
  ])('is refused for %j', (wrong, expected) => {
    const { supervisor } = directing({});

    expect(() => supervisor.start({ goal: 'a', history: wrong as typeof history })).toThrow(
      expect.objectContaining({ code: 'invalid_task', message: expect.stringMatching(expected) }),
    );
  });
});
