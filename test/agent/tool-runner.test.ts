// Proves that every call of a turn gets exactly one result, in call order, whatever the model and the tools do.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TroupeError } from '#src/base/failures.js';
import type { Message, ToolUseBlock } from '#src/protocol/history.js';
import type { HostServiceCalls } from '#src/protocol/host-services.js';
import type { ToolSettings } from '#src/protocol/tool-settings.js';
import { defineTool } from '#src/tools/define-tool.js';
import type { AnyTool, ToolContext, ToolOutput } from '#src/tools/tool.js';
import { describeTool } from '#src/tools/tool-module.js';
import { resumeAt } from '../support/saved-state.ts';
import { type Around, modelAnswer, resultsIn, runOf } from './run-driver.ts';

const input = z.object({ n: z.number().optional() });

const tool = (name: string, run: (n: number, context: ToolContext) => ToolOutput): AnyTool =>
  defineTool({ name, description: name, input, run: ({ n = 0 }, context) => run(n, context) });

const threadTools = [
  tool('number', (n) => n),
  tool('throws', () => {
    throw new Error('no');
  }),
  tool('throws_text', () => {
    throw 'text';
  }),
  tool('rejects', () => Promise.reject(new TypeError('late'))),
  tool('circular', () => {
    const value: Record<string, unknown> = {};
    value['self'] = value;
    return value;
  }),
  tool('silent', () => undefined),
];

/** What a host may answer, its failures and lost answers included. */
const answers: Readonly<Record<string, () => Promise<unknown>>> = {
  fine: async () => ({ content: 'fine', isError: false }),
  lost: async () => undefined,
  garbled: async () => ({ content: 7, isError: 'no' }),
  refused: () => Promise.reject(new TroupeError('unknown_service', 'no such service')),
};

type Settings = ToolSettings & { readonly parallelToolCalls?: boolean };

const use = (id: string, name: string, given: unknown = {}): ToolUseBlock => ({
  type: 'tool_use',
  id,
  name,
  input: given,
});

/** Runs turns of calls, and returns the results of all and what was published. */
async function resultsOf(
  turns: readonly (readonly ToolUseBlock[])[],
  { parallelToolCalls = true, ...toolSettings }: Settings = {},
  { tools = threadTools, ...around }: Around = {},
) {
  const hostTools = Object.keys(answers).map((name) => tool(name, () => name));
  const spec = {
    tools: [
      ...tools.map((each) => ({ ...describeTool(each), where: 'thread' as const })),
      ...hostTools.map((each) => ({ ...describeTool(each), where: 'host' as const })),
    ],
    parallelToolCalls,
    toolSettings,
  };
  // A host answers what it likes: the run checks it.
  const callTool = (({ name }: { name: string }) =>
    answers[name]?.()) as HostServiceCalls['callTool'];
  const { run, events } = runOf(turns.map(modelAnswer), {
    ...around,
    spec,
    tools,
    host: { callTool },
  });
  await run.toEnd();
  return { results: resultsIn(events), events };
}

describe('the calls of a turn', () => {
  const names = fc.constantFrom(
    ...threadTools.map(({ name }) => name),
    ...Object.keys(answers),
    'nobody',
    '__proto__',
    '',
  );
  const arguments_ = fc.oneof(
    fc.constant({}),
    fc.constantFrom(null, 'text', [], [{ n: 1 }], 5, { n: 'text' }, { n: 1 }, undefined, '{"n":1}'),
    fc.jsonValue(),
  );
  const someCalls = fc.array(fc.record({ name: names, input: arguments_ }), { maxLength: 8 });

  it('get exactly one result each, in call order, whatever they are (B26, B27, D20)', async () => {
    await fc.assert(
      fc.asyncProperty(
        someCalls,
        fc.boolean(),
        fc.boolean(),
        async (wanted, parallelToolCalls, isNoticed) => {
          const calls = wanted.map((each, at) => use(`c${at}`, each.name, each.input));

          const { results, events } = await resultsOf([calls], {
            parallelToolCalls,
            repetitionNotice: isNoticed,
          });

          expect(results.map((each) => each.tool_use_id)).toEqual(calls.map(({ id }) => id));
          for (const { content } of results) expect(content.length).toBeGreaterThan(0);
          const completed = events.filter(({ type }) => type === 'tool_completed');
          expect(completed).toHaveLength(calls.length);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('show a lost answer and a failing service as results, siblings unharmed (B27, D20)', async () => {
    const wanted = ['lost', 'fine', 'garbled', 'refused', 'throws', 'number'];

    const { results } = await resultsOf([wanted.map((name, at) => use(`c${at}`, name))]);

    expect(results.map(({ content, is_error }) => [content, is_error])).toEqual([
      [expect.stringContaining('"lost" ended without a result (undefined)'), true],
      ['fine', undefined],
      [expect.stringContaining('"garbled" ended without a result'), true],
      ['no such service', true],
      ['Tool "throws" failed: no', true],
      ['0', undefined],
    ]);
  });

  it('answers calls that share an id one by one', async () => {
    const { results } = await resultsOf([[use('c', 'number', { n: 1 }), use('c', 'throws')]]);

    expect(results.map(({ content }) => content)).toEqual(['1', 'Tool "throws" failed: no']);
  });

  it('end with the signal, each of two that share an id, when the other has its result (B31, S8)', async () => {
    const abort = new AbortController();
    const waits = tool('waits', (_n, { signal }) => {
      const aborted = new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
      setImmediate(() => abort.abort(new TroupeError('interrupted', 'enough')));
      return aborted;
    });
    const tools = [...threadTools, waits];
    const calls = [use('c', 'number'), use('c', 'waits'), use('c', 'missing')];

    const { results } = await resultsOf([calls], {}, { tools, signal: abort.signal });

    expect(results.map(({ content }) => content)).toEqual([
      '0',
      'enough',
      expect.stringContaining('missing'),
    ]);
  });

  it('are never taken for one another: two that are the same run twice (B33)', async () => {
    let runs = 0;
    const tools = [tool('count', () => ++runs)];

    const { results } = await resultsOf([[use('a', 'count'), use('b', 'count')]], {}, { tools });

    expect(results.map(({ content }) => content)).toEqual(['1', '2']);
  });

  it.each([
    [true, ['begin 1', 'begin 2', 'end 2', 'end 1']],
    [false, ['begin 1', 'end 1', 'begin 2', 'end 2']],
  ])(
    'run at once or in turn (parallelToolCalls %s), results in call order (D16)',
    async (parallelToolCalls, expected) => {
      const log: string[] = [];
      const slow = tool('slow', async (n) => {
        log.push(`begin ${n}`);
        for (let turn = 0; turn < 20 - n * 8; turn += 1) {
          await new Promise<void>((resolve) => setImmediate(resolve));
        }
        log.push(`end ${n}`);
        return n;
      });
      const calls = [use('a', 'slow', { n: 1 }), use('b', 'slow', { n: 2 })];

      const { results } = await resultsOf([calls], { parallelToolCalls }, { tools: [slow] });

      expect(log).toEqual(expected);
      expect(results.map(({ content }) => content)).toEqual(['1', '2']);
    },
  );

  it('end promptly with the signal, which they saw; what had not begun never begins (B31)', async () => {
    const abort = new AbortController();
    let seen: unknown;
    const waits = tool('waits', (_n, { signal }) => {
      signal.addEventListener('abort', () => {
        seen = signal.reason;
      });
      abort.abort(new TroupeError('interrupted', 'enough'));
      return new Promise(() => {});
    });
    const { results, events } = await resultsOf(
      [[use('a', 'waits'), use('b', 'waits')]],
      { parallelToolCalls: false },
      { tools: [waits], signal: abort.signal },
    );

    expect(results.map(({ content, is_error }) => [content, is_error])).toEqual([
      ['enough', true],
      ['enough', true],
    ]);
    expect(seen).toMatchObject({ code: 'interrupted' });
    expect(events.filter(({ type }) => type === 'tool_started')).toHaveLength(1);
  });

  it('keep the results they have, wherever those stand; the others are run (W3)', async () => {
    const calls = [use('a', 'number', { n: 1 }), use('b', 'number', { n: 2 }), use('a', 'silent')];
    const block = { type: 'tool_result' as const, tool_use_id: 'a', content: 'known' };
    const done = { step: 'done' as const, isNoticed: false };
    const saved = [
      { ...done, block },
      { step: 'running', isNoticed: false, input: {}, block: null },
      { step: 'waiting', isNoticed: false, block: null },
    ] as const;
    const memory: readonly Message[] = [{ role: 'assistant', content: calls }];
    const result = { content: 'known too', isError: false };
    const answer = { type: 'tool_ended', place: 1, result } as const;
    const resume = resumeAt('r1', saved, [answer]);

    const { results } = await resultsOf([], { parallelToolCalls: false }, { memory, resume });

    expect(results.map(({ content }) => content)).toEqual(['known', 'known too', '(no output)']);
  });

  it('carry the same key whenever the same call of the same run is made (M10)', async () => {
    const keys: string[] = [];
    const keep = tool('keep', (_n, { idempotencyKey }) => keys.push(idempotencyKey));
    for (const runId of ['r1', 'r1', 'r2']) {
      await resultsOf([[use('c1', 'keep')]], {}, { tools: [keep], runId });
    }

    expect(keys).toEqual(['r1:c1', 'r1:c1', 'r2:c1']);
  });

  it('end the third result in a row with a notice when asked to, across turns (A81)', async () => {
    const turns = [['number', 'number'], ['number'], ['number'], ['silent']].map((names, turn) =>
      names.map((name, at) => use(`${turn}-${at}`, name)),
    );

    const { results } = await resultsOf(turns, { repetitionNotice: true });

    expect(results.map(({ content }) => content)).toEqual([
      '0',
      '0',
      expect.stringMatching(/^0\n\n\[SYSTEM NOTICE\] Tool "number" was called 3 times in a row/),
      '0',
      '(no output)',
    ]);
  });

  it('hear nothing of it unless asked (A81)', async () => {
    const { results } = await resultsOf([['a', 'b', 'c'].map((id) => use(id, 'number'))]);

    expect(results.map(({ content }) => content)).toEqual(['0', '0', '0']);
  });
});
