// Checks what a scope's model learns of calls that failed, and by which names and values it may emit.
import { describe, expect, it } from 'vitest';
import { defineTool } from '#src/index.js';
import type { ScriptStep } from '#src/testing.js';
import { toolFixture } from '../../supervisor/support.ts';
import { arrange, lookup, nothing, run } from './support.ts';

const opens = defineTool({
  name: 'opens',
  description: 'Opens a file that is not there.',
  input: nothing,
  run() {
    throw Object.assign(new Error("ENOENT: no such file or directory, open 'a.txt'"), { errno: 2 });
  },
});
const silent = defineTool({
  name: 'silent',
  description: 'Fails without a word.',
  input: nothing,
  run() {
    throw new Error();
  },
});
const outputs = { outputs: { title: 'the title', pages: 'how many', isOld: 'whether it is old' } };

const calls = (name: string, input: unknown): ScriptStep => ({ toolCalls: [{ name, input }] });
const emission = (name: string, value: unknown) => ({
  emit_variable_name: name,
  emit_variable_value: value,
});

describe('the only call of a turn that fails in a scope', () => {
  it.each([
    ['opens', {}, 'ENOENT: no such file or directory'],
    ['lookup', { id: 7 }, 'The arguments of tool "lookup" are invalid'],
    ['nowhere', {}, 'There is no tool "nowhere" here. Your tools: lookup, opens'],
    ['fail', {}, 'Tool "fail" failed: the tool broke'],
    ['self_emitvalue', emission('author', 'Jane'), 'emit one of: title, pages, isOld'],
  ])('tells its model why: %s %j (B27, B28)', async (name, input, why) => {
    const tools = { tools: ['lookup', 'opens', toolFixture('plain')] };
    const { create, model } = arrange([calls(name, input), { text: 'done' }], {
      tools: [lookup, opens],
    });

    // One turn more than the call: what is owed is not what is asked here.
    const limit = { max_time_minutes: 5, max_turns: 2 };
    await run(await create({ tools, outputs, run: limit }));

    const content = model.requests()[1]?.messages.at(-1)?.content;
    expect(content).toHaveLength(1);
    expect(content).toMatchObject([{ is_error: true, content: expect.stringContaining(why) }]);
  });

  it('gives the generic text where the call says nothing (B28)', async () => {
    const { create, model } = arrange([calls('silent', {}), { text: 'done' }], { tools: [silent] });

    await run(await create({ tools: { tools: ['silent'] } }));

    expect(model.requests()[1]?.messages.at(-1)?.content).toMatchObject([
      { is_error: true, content: 'The call failed.' },
      { type: 'text', text: expect.stringContaining('All tool calls of this turn failed') },
    ]);
  });
});

describe('what a scope’s model emits', () => {
  it('may be a number or a boolean, by either name of the tool (B17)', async () => {
    const { create, model } = arrange([
      calls('self.emitvalue', emission('title', 'Emma')),
      calls('self_emitvalue', emission('pages', 474)),
      calls('self.emitvalue', emission('isOld', true)),
    ]);
    const scope = await create({ outputs });

    await run(scope);

    expect(scope.output).toEqual({
      emitted_vars: { title: 'Emma', pages: '474', isOld: 'true' },
      terminate_reason: 'GOAL',
    });
    const [, , last] = model.requests();
    const named = last?.messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : [])),
    );
    expect(named, 'no provider takes a name with a dot').toEqual([
      'self_emitvalue',
      'self_emitvalue',
    ]);
  });

  it('is taken in the closing turn by either name too (B17, B24)', async () => {
    const { create } = arrange(
      [calls('lookup', { id: 'a' }), calls('self.emitvalue', emission('title', 'Emma'))],
      { tools: [lookup] },
    );
    const scope = await create({
      tools: { tools: ['lookup'] },
      outputs: { outputs: { title: 'the title' } },
      run: { max_time_minutes: 5, max_turns: 2 },
    });

    await run(scope);

    expect(scope.output.emitted_vars).toEqual({ title: 'Emma' });
  });
});
