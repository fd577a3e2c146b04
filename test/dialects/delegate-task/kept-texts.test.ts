// Checks that an agent without file tools reads on in what was cut from its children's answers, by the tool that delegated.
import { describe, expect, it } from 'vitest';
import { agentTools, taskTool } from '#src/dialects/claude-code/index.js';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import type { ScriptStep } from '#src/testing.js';
import { supervise, within } from '../../supervisor/support.ts';

const callsOf = {
  delegate_task: { goal: 'b', toolsets: [] },
  Agent: { description: 'b', prompt: 'b' },
  task: { prompt: 'b' },
};
const names = Object.keys(callsOf) as (keyof typeof callsOf)[];
const long = [...Array(20_000).keys()].join(' ');

/** What an agent of the tree was answered, and whether it was an error, by a call and then by those that read on. */
async function answersOf(
  name: keyof typeof callsOf,
  reads: readonly object[],
  child: readonly ScriptStep[],
): Promise<readonly { readonly text: string; readonly isError: boolean }[]> {
  const steps = [callsOf[name], ...reads].map((input) => ({ toolCalls: [{ name, input }] }));
  const { supervisor, model } = supervise(
    { agents: { boss: [...steps, { text: 'ok' }] }, default: child },
    { tools: [delegateTaskTool(), taskTool(), ...agentTools()], agents: [{ name: 'boss' }] },
  );
  await within(supervisor.delegate({ goal: 'a', agent: 'boss' }), 'the outcome');
  return (model.requests().at(-1)?.messages ?? []).flatMap((message) =>
    [...message.content].flatMap((block) =>
      block.type === 'tool_result'
        ? [{ text: String(block.content), isError: block.is_error === true }]
        : [],
    ),
  );
}

/** The text of a part, from and to where it says it is. */
function partIn(text = ''): { readonly isRight: boolean; readonly head: string } {
  const [head = ''] = text.split('\n', 1);
  const [, from = '0', to = '0'] = /characters (\d+) to (\d+) of/.exec(head) ?? [];
  const isRight = text.slice(head.length + 1) === long.slice(Number(from), Number(to));
  return { isRight, head };
}

describe('a result that is cut', () => {
  it.each(names)('of %s is read on in by an agent that reads no files (C7)', async (name) => {
    const reads = [
      { result: 'kept-1', offset: 35_000 },
      { result: 'kept-1', offset: 84_990 },
      { result: 'kept-1', offset: 999_999 },
      { result: 'kept-9' },
    ];

    const [first, middle, end, beyond, unknown] = await answersOf(name, reads, [{ text: long }]);

    const where = `kept-1, which ${name} shows when it is called with result kept-1 and an offset`;
    expect(first?.text).toMatch(/108,889 characters in all, \d+ to \d+ left out/);
    expect(first?.text.includes(`left out; the full text is in ${where}] …`)).toBe(true);
    expect(partIn(middle?.text)).toEqual({
      isRight: true,
      head: expect.stringMatching(
        /^\[kept-1: characters 35000 to (\d+) of 108889; read on with offset \1\]$/,
      ),
    });
    expect(partIn(end?.text)).toEqual({
      isRight: true,
      head: '[kept-1: characters 84990 to 108889 of 108889; this is its end]',
    });
    expect(beyond).toEqual({
      text: 'offset is 999999: expected a whole number from 0 to 108888',
      isError: true,
    });
    expect(unknown).toEqual({
      text: 'there is no result kept-9; there is: kept-1',
      isError: true,
    });
  });

  it.each(['Agent', 'task'] as const)(
    'of a child that failed under %s has both ends, and is read on in (C7)',
    async (name) => {
      const partly = `The start. ${'y'.repeat(60_000)} The last it found.`;
      const child = [
        { text: partly, toolCalls: [{ name: 'nothing', input: {} }] },
        { throw: { status: 400, message: 'It is broken.' } },
      ] as const;

      const reads = [{ result: 'kept-1', offset: 30_000 }];
      const [first, rest] = await answersOf(name, reads, child);

      expect(first?.isError).toBe(true);
      expect(first?.text).toMatch(/What it had so far:\nThe start\. y+… \[cut: /);
      expect(first?.text).toMatch(/kept-1.*\] …y+ The last it found\.$/);
      expect(rest?.text).toMatch(
        /^\[kept-1: characters 30000 to .* end\]\ny+ The last it found\.$/,
      );
    },
  );
});
