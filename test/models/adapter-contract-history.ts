// The part of the adapter contract about history: whatever its provider, calls and results stay paired. Asserts itself.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Model } from '#src/models/model.js';
import type { AssistantBlock, Message, UserBlock } from '#src/protocol/history.js';
import type { AdapterTraits, AdapterUnderTest, WireHistory } from './adapter-traits.ts';
import { boundCall, request } from './support.ts';

type Arranged = () => { readonly far: AdapterUnderTest; readonly model: Model };

const texts = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
// As it arrives: JSON text knows no negative zero.
const inputs = fc
  .dictionary(fc.string({ minLength: 1, maxLength: 4 }), fc.jsonValue(), {
    maxKeys: 3,
    noNullPrototype: true,
  })
  .map((input): typeof input => JSON.parse(JSON.stringify(input)));

type Turn = {
  readonly text: string;
  readonly calls: readonly {
    readonly name: string;
    readonly input: Record<string, unknown>;
    readonly result: string;
    readonly isError: boolean;
  }[];
  readonly comment: string;
};

const turns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.record({
    text: fc.oneof(fc.constant(''), texts),
    calls: fc.array(
      fc.record({
        name: fc.constantFrom('look', 'write'),
        input: inputs,
        result: texts,
        isError: fc.boolean(),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    comment: fc.oneof(fc.constant(''), texts),
  }),
  { maxLength: 4 },
);

/** A conversation of turns, and what a wire must say of it. */
function conversationOf(list: readonly Turn[]) {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Do it.' }] }];
  const expected: WireHistory[number][] = [{ role: 'user', text: 'Do it.' }];
  for (const [turn, { text, calls, comment }] of list.entries()) {
    const asked: AssistantBlock[] = [{ type: 'text', text }];
    const answered: UserBlock[] = [];
    if (text !== '') expected.push({ role: 'assistant', text });
    for (const [index, { name, input, result, isError }] of calls.entries()) {
      const id = `call_${turn}_${index}`;
      asked.push({ type: 'tool_use', id, name, input });
      const block = { type: 'tool_result' as const, tool_use_id: id, content: result };
      answered.push(isError ? { ...block, is_error: true } : block);
      expected.push({ call: id, name, input });
    }
    for (const [index, { result, isError }] of calls.entries()) {
      expected.push({ result: `call_${turn}_${index}`, text: result, isError });
    }
    if (comment !== '') {
      answered.push({ type: 'text', text: comment });
      expected.push({ role: 'user', text: comment });
    }
    messages.push({ role: 'assistant', content: asked }, { role: 'user', content: answered });
  }
  return { messages, expected };
}

export function historyContract(name: string, traits: AdapterTraits, arranged: Arranged): void {
  describe(`${name}: history`, () => {
    it('sends every call with its result, in order, whatever was said between', async () => {
      const { far, model } = arranged();
      await fc.assert(
        fc.asyncProperty(turns, async (list) => {
          const { messages, expected } = conversationOf(list);
          far.reply({ type: 'message', text: 'ok' });

          await model.respond(request({ messages }), boundCall());

          expect(traits.historyIn(far.requests().at(-1)?.body ?? {})).toEqual(expected);
        }),
        { numRuns: 40 },
      );
    });

    it('gives a thought back to the API that had it, and to no other', async () => {
      const { far, model } = arranged();
      far.reply(
        { type: 'message', thinking: 'hm', toolCalls: [{ id: 'c', name: 'look', input: {} }] },
        { type: 'message', text: 'ok' },
      );
      const first = await model.respond(request(), boundCall());
      const foreign: AssistantBlock = {
        type: 'thinking',
        thinking: 'not mine',
        signature: 'troupe:elsewhere:{}',
      };
      const messages: Message[] = [
        ...request().messages,
        { role: 'assistant', content: [foreign, ...first.content] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'seen' }] },
      ];

      await model.respond(request({ messages }), boundCall());

      const sent = far.requests().at(-1)?.body ?? {};
      const thoughts = traits.historyIn(sent).filter((entry) => 'thinking' in entry);
      expect(thoughts).toEqual(traits.returnsThinking ? [{ thinking: 'hm' }] : []);
      expect(JSON.stringify(sent)).not.toContain('not mine');
    });
  });
}
