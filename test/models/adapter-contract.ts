// The contract of a model adapter, run over every adapter against a server that speaks its wire. Asserts everything itself.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Model } from '#src/models/model.js';
import type { ToolChoice } from '#src/protocol/model-settings.js';
import { failureContract } from './adapter-contract-failures.ts';
import { historyContract } from './adapter-contract-history.ts';
import { type AdapterTraits, type AdapterUnderTest, everySetting } from './adapter-traits.ts';
import { boundCall, rejection, request } from './support.ts';

export function adapterContract(name: string, traits: AdapterTraits): void {
  let far: AdapterUnderTest;
  let model: Model;

  beforeEach(async () => {
    far = await traits.start();
    model = far.connect();
  });

  afterEach(() => far.close());

  describe(`${name}: answers`, () => {
    it('streams thinking and text as they come, and answers with the whole (D15)', async () => {
      far.reply({ type: 'message', thinking: 'hm', text: ['Hel', 'lo'] });
      const call = boundCall();

      const response = await model.respond(request(), call);

      expect(call.deltas).toEqual([
        { type: 'thinking', text: 'hm' },
        { type: 'text', text: 'Hel' },
        { type: 'text', text: 'lo' },
      ]);
      expect(response).toMatchObject({
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'Hello' },
        ],
        stopReason: 'end_turn',
        isEstimated: false,
      });
      expect(structuredClone(response)).toEqual(response);
    });

    it('asks for tools in the same words as any other adapter (B32)', async () => {
      const toolCalls = [
        { id: 'call_1', name: 'look', input: { at: [1, 'two'], deep: { er: null } } },
        { id: 'call_2', name: 'look', input: {} },
        { id: 'call_3', name: 'write', input: { text: '"\n\u00e9\u{1f600}' } },
      ];
      far.reply({ type: 'message', text: 'Three at once.', toolCalls });

      const response = await model.respond(request(), boundCall());

      expect(response.stopReason).toBe('tool_use');
      expect(response.content).toEqual([
        { type: 'text', text: 'Three at once.' },
        ...toolCalls.map((call) => ({ type: 'tool_use', ...call })),
      ]);
    });

    it.runIf(traits.isHttp)(
      'tells of every response, refusals included, before it answers or fails (C41)',
      async () => {
        far.reply({ type: 'message', text: 'ok' });
        far.reply({ type: 'error', status: 429, retryAfterSeconds: 7 });
        const responses: unknown[] = [];
        const onResponse = (
          status: number,
          headers: { get(name: string): string | null },
        ): void => {
          responses.push([status, headers.get('retry-after')]);
        };

        await model.respond(request(), { ...boundCall(), onResponse });
        await rejection(model.respond(request(), { ...boundCall(), onResponse }));

        expect(responses).toEqual([
          [200, null],
          [429, '7'],
        ]);
      },
    );

    it.each(['{"path": oops', '[1, 2', 'no json at all'])(
      'runs no tool with a guess at the arguments %j',
      async (rawInput) => {
        const call = { id: 'call_1', name: 'look', input: null, rawInput };
        far.reply({ type: 'message', toolCalls: [call] });

        const answer = model.respond(request(), boundCall());

        if (traits.unreadable.includes(rawInput)) {
          expect(await rejection(answer)).toMatchObject({ code: 'model_bad_response' });
        } else {
          // A text is what every tool refuses by name.
          const block = { type: 'tool_use', id: 'call_1', name: 'look', input: rawInput };
          expect(await answer).toMatchObject({ stopReason: 'tool_use', content: [block] });
        }
      },
    );

    it('takes no arguments at all for an empty object', async () => {
      const call = { id: 'call_1', name: 'look', input: null, rawInput: '' };
      far.reply({ type: 'message', toolCalls: [call] });

      const { content } = await model.respond(request(), boundCall());

      expect(content).toEqual([{ type: 'tool_use', id: 'call_1', name: 'look', input: {} }]);
    });

    it('counts tokens, those of the cache apart from the rest', async () => {
      far.reply({
        type: 'message',
        text: 'ok',
        usage: {
          input_tokens: 11,
          output_tokens: 22,
          cache_read_input_tokens: 33,
          cache_creation_input_tokens: 44,
        },
      });

      const { usage } = await model.respond(request(), boundCall());

      expect(usage).toEqual(
        traits.countsCacheWrites
          ? { inputTokens: 11, outputTokens: 22, cacheReadTokens: 33, cacheWriteTokens: 44 }
          : { inputTokens: 55, outputTokens: 22, cacheReadTokens: 33, cacheWriteTokens: 0 },
      );
    });

    it.each(traits.stopReasons)('%s arrives as %s', async (wire, stopReason) => {
      far.reply({ type: 'message', text: 'a', stopReason: wire });

      const response = await model.respond(request(), boundCall());

      expect(response).toMatchObject({ stopReason, content: [{ type: 'text', text: 'a' }] });
    });
  });

  describe(`${name}: requests`, () => {
    it('sends the output limit of the call (E7)', async () => {
      far.reply({ type: 'message', text: 'ok' });

      await model.respond(request({ maxOutputTokens: 8_000 }), boundCall());

      expect(traits.outputLimitIn(far.requests()[0]?.body ?? {})).toBe(8_000);
    });

    const { refused } = traits;
    const taken = Object.fromEntries(
      Object.entries(everySetting).filter(([key]) => !refused.some((name) => name === key)),
    );

    it(`sends the settings its API takes: ${Object.keys(taken).join(', ')} (B4)`, async () => {
      far.reply({ type: 'message', text: 'ok' });

      await model.respond(request({ settings: taken }), boundCall());

      expect(traits.settingsIn(far.requests()[0]?.body ?? {})).toEqual(taken);
    });

    it('sends no setting that was not set', async () => {
      far.reply({ type: 'message', text: 'ok' });

      await model.respond(request(), boundCall());

      expect(traits.settingsIn(far.requests()[0]?.body ?? {})).toEqual({});
    });

    it.each<ToolChoice>(['auto', 'required', 'none', { tool: 'look' }])(
      'sends the choice of tools %j, where there are tools (D19)',
      async (toolChoice) => {
        far.reply({ type: 'message', text: 'ok' }, { type: 'message', text: 'ok' });
        const tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }];

        await model.respond(request({ tools, settings: { toolChoice } }), boundCall());
        await model.respond(request({ tools: [], settings: { toolChoice } }), boundCall());

        const [chosen, without] = far.requests();
        expect(traits.toolChoiceIn(chosen?.body ?? {})).toEqual(toolChoice);
        expect(without?.body).not.toHaveProperty('tool_choice');
        expect(without?.body).not.toHaveProperty('toolChoice');
      },
    );

    it.each([...refused])('refuses %s before anything is sent (B4)', async (setting) => {
      const settings = { [setting]: everySetting[setting] };

      const error = await rejection(model.respond(request({ settings }), boundCall()));

      expect(error).toMatchObject({ code: 'model_setting_refused', detail: { setting } });
      expect(far.requests()).toEqual([]);
    });
  });

  historyContract(name, traits, () => ({ far, model }));
  failureContract(name, traits, () => ({ far, model }));
}
