// Checks what subagents remember from run to run: kept, cut, bounded, replayed, cleared, and never another session's.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { subagentManager, subagentTools } from '#src/dialects/subagent-manager/index.js';
import { defineTool } from '#src/index.js';
import { gate, within } from '../../supervisor/support.ts';
import { on, rig, textsOf } from './rig.ts';

describe('history', () => {
  const long = defineTool({
    name: 'long',
    description: 'Answers at length.',
    input: z.object({}),
    run: () => 'x'.repeat(2_001),
  });

  it('replays runs with their tools, results cut at 2000, ahead of the agent’s examples (A51, A56)', async () => {
    const parts = { one: [{ calls: [['long', {}] as const] }, { text: 'got it' }] };
    const { manager, hand, model } = rig(parts, { supervisor: { tools: [long] } });
    const examples = [
      { role: 'user' as const, content: 'Ping?' },
      { role: 'assistant' as const, content: 'Pong.' },
    ];
    await manager.create({ name: 'ada', examples });
    await hand('ada', 'one');

    await hand('ada', 'two');

    const [request] = model.requests('two');
    expect(textsOf(request)).toEqual(['one', 'got it', 'Ping?', 'Pong.', 'two']);
    const results = request?.messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_result' ? [block.content] : [])),
    );
    expect(results).toEqual([`${'x'.repeat(2_000)}...[truncated]`]);
    expect(manager.history('ada').map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it('stores and replays nothing while it is off (A12)', async () => {
    const { create, hand, manager, model } = rig({}, { config: { ...on, history_enabled: false } });
    await create('ada');
    await hand('ada', 'one');
    await hand('ada', 'two');

    expect(manager.history('ada')).toEqual([]);
    expect(textsOf(model.requests('two')[0])).toEqual(['two']);
  });

  it('keeps the newest messages, of messages handed in too, and none of the system (A15, A51)', async () => {
    const config = { ...on, subagent_history_maxlen: 2 };
    const { create, hand, manager } = rig({}, { config });
    await create('ada');
    await hand('ada', 'one');
    await hand('ada', 'two');

    expect(JSON.stringify(manager.history('ada'))).not.toContain('"one"');
    expect(manager.history('ada')).toHaveLength(2);
    manager.addHistory('ada', [
      { role: 'system', content: 'secret' },
      { role: 'user', content: 'three' },
      { role: 'assistant', content: 'yes' },
    ]);
    expect(manager.history('ada')).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'three' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'yes' }] },
    ]);
    expect(manager.addHistory('nobody', [])).toBe(false);
  });

  it('takes no messages that no run could go on from (A51)', async () => {
    const { create, hand, manager } = rig();
    await create('ada');
    const open = { type: 'tool_use' as const, id: 'c1', name: 'long', input: {} };
    const dangling = [
      { role: 'assistant' as const, content: [open] },
      { role: 'user' as const, content: 'And?' },
    ];

    for (const messages of [dangling, [{ role: 'user', content: null }], 'words']) {
      const add = () => manager.addHistory('ada', messages as never);
      expect(add).toThrow(expect.objectContaining({ code: 'invalid_options' }));
    }

    expect(manager.history('ada')).toEqual([]);
    expect(await hand('ada', 'go')).toEqual(['go done', false]);
  });

  it('is cleared by reset_subagent, and an unknown name is told (A57, A80, X3)', async () => {
    const { create, hand, call, manager, model } = rig();
    await create('ada');
    await hand('ada', 'one');

    const cleared = await call('reset_subagent', { name: 'ada' });
    const unknown = await call('reset_subagent', { name: 'eve' });
    await hand('ada', 'two');

    expect([cleared[1], unknown]).toEqual([
      false,
      [expect.stringMatching(/no subagent "eve"; there is: ada/), true],
    ]);
    expect(textsOf(model.requests('two')[0])).toEqual(['two']);
    expect(manager.clearHistory('ada')).toBe(true);
    expect(manager.clearHistory('eve')).toBe(false);
  });

  it('a run that was on when its agent was reset is not remembered (A57)', async () => {
    const { opened, open } = gate();
    const { create, hand, call, manager, watch } = rig({ one: [{ after: opened, text: 'x' }] });
    await create('ada');
    const result = hand('ada', 'one');
    await watch.next('turn_started');
    await call('reset_subagent', { name: 'ada' });
    open();
    await within(result, 'the result');

    expect(manager.history('ada')).toEqual([]);
  });

  it('belongs to one session: another’s agent of the same name knows nothing (X20, A56)', async () => {
    const { supervisor, create, hand, model } = rig();
    await create('ada');
    await hand('ada', 'one');
    const other = supervisor.session('other');
    const tools = other.tools(subagentTools(other, { config: on }));
    await subagentManager(other).create({ name: 'ada' });

    await within(tools.call('transfer_to_ada', { input: 'two' }), 'the other');

    expect(textsOf(model.requests('two')[0])).toEqual(['two']);
  });
});
