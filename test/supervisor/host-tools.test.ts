// Checks host tools: closures of the service, called in the name of agents in threads.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#src/index.js';
import { answered, calls, gate, inShort, supervise, within } from './support.ts';

const nothing = z.object({});

function tool(name: string, run: () => unknown) {
  return defineTool({ name, description: name, input: nothing, run });
}

describe('host tools', () => {
  it('run in the service, at once, with results in call order', async () => {
    const first = gate<string>();
    const order: string[] = [];
    const tools = [
      tool('slow', async () => {
        const value = await first.opened;
        order.push('slow');
        return value;
      }),
      tool('fast', () => {
        order.push('fast');
        first.open('after fast');
        return { json: [1, null] };
      }),
    ];
    const { supervisor, model, watch } = supervise(calls('slow', 'fast'), { tools });

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(inShort(outcome)).toEqual(['goal', undefined, 'done']);
    expect(order).toEqual(['fast', 'slow']);
    expect(answered(model)).toEqual([
      ['after fast', false],
      [expect.stringMatching(/"json":\s*\[\s*1,\s*null\s*\]/), false],
    ]);
    expect(watch.of('tool_started').map(({ where }) => where)).toEqual(['host', 'host']);
  });

  it('get input that their schema made, and nothing when it does not fit', async () => {
    const seen: unknown[] = [];
    const parse = defineTool({
      name: 'parse',
      description: 'Takes a date.',
      input: z.object({ at: z.string(), count: z.number().default(3) }),
      run: (input) => {
        seen.push(input);
        return 'ok';
      },
    });
    const { supervisor, model } = supervise(
      calls(['parse', { at: 'now' }], ['parse', null], ['parse', { at: 5 }], ['parse', 'now']),
      { tools: [parse] },
    );

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(seen).toEqual([{ at: 'now', count: 3 }]);
    expect(answered(model).map(([, isError]) => isError)).toEqual([false, true, true, true]);
  });

  it('that throw are results the model sees, whatever they throw', async () => {
    const tools = [
      tool('error', () => {
        throw new Error('no');
      }),
      tool('text', () => {
        throw 'just text';
      }),
      tool('rejects', () => Promise.reject(new TypeError('late'))),
    ];
    const { supervisor, model } = supervise(calls('error', 'text', 'rejects'), { tools });

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome.status).toBe('completed');
    expect(answered(model)).toEqual([
      ['Tool "error" failed: no', true],
      ['Tool "text" failed: "just text"', true],
      ['Tool "rejects" failed: TypeError: late', true],
    ]);
  });

  it('hear of an interrupt by their signal, and the agent ends without them (S2)', async () => {
    const aborted = gate<unknown>();
    const running = gate();
    const deaf = defineTool({
      name: 'deaf',
      description: 'Never ends.',
      input: nothing,
      run(_input, { signal }) {
        signal.addEventListener('abort', () => aborted.open(signal.reason));
        running.open();
        return new Promise(() => {});
      },
    });
    const { supervisor } = supervise(calls('deaf'), {
      tools: [deaf],
      timeouts: { interruptGraceMs: 3_600_000 },
    });
    const handle = supervisor.start({ goal: 'a' });
    await within(running.opened, 'the tool');

    const receipts = await within(handle.interrupt(), 'the receipts');

    expect(receipts[0]?.stage).toBe('interrupted');
    expect(await within(aborted.opened, 'the abort')).toMatchObject({ code: 'interrupted' });
    expect((await handle.result()).partial).toMatchObject({ phase: 'in_tool' });
  });

  it('that report nonsense fail as calls', async () => {
    const odd = defineTool({
      name: 'odd',
      description: 'Reports nonsense.',
      input: nothing,
      run: (_input, context) => context.progress(7),
    });
    const { supervisor, model } = supervise(calls('odd'), { tools: [odd] });

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    expect(outcome.status).toBe('completed');
    expect(answered(model)).toEqual([[expect.stringContaining('0 to 1, got 7'), true]]);
  });
});
