// Checks the tools of managed subagents: the lists and their meaning, and what a child's first request then offers.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  childTools,
  defaultToolLists,
  registerBlacklistedTool,
  registerInherentTool,
  type ToolLists,
} from '#src/dialects/subagent-manager/tool-lists.js';
import { defineAgent, defineTool } from '#src/index.js';
import { resolveGrants } from '#src/tools/grants.js';
import { rejection, supervise, within } from '../../supervisor/support.ts';

const blacklist = [
  'broadcast_shared_context',
  'create_subagent',
  'manage_subagent_protection',
  'reset_subagent',
  'remove_subagent',
  'list_subagents',
  'wait_for_subagent',
  'view_shared_context',
];
const inherent = ['astrbot_execute_shell', 'astrbot_execute_python'];
const others = ['search', 'read_page', 'computer_file', 'send_shared_context'];
const names = [...others, ...inherent, ...blacklist];
const registered = new Set(names);
const tools = names.map((name) =>
  defineTool({ name, description: name, input: z.object({}), run: () => name }),
);

type ToolRequest = Partial<Omit<Parameters<typeof childTools>[0], 'registered'>>;

/** An agent of these tools, as a manager would define it. */
function child(name: string, wanted: ToolRequest) {
  const request = {
    assigned: [],
    runtime: [],
    lists: defaultToolLists,
    isBoardOn: false,
    ...wanted,
  };
  return defineAgent({ name, ...childTools({ ...request, registered }) });
}

/** What the first request of such an agent offers its model. */
async function offered(wanted: ToolRequest): Promise<readonly string[]> {
  const { supervisor, model } = supervise({ default: [{ text: 'done' }] }, { tools });
  await within(supervisor.delegate({ goal: 'a', agent: child('child', wanted) }), 'the outcome');
  return model.requests()[0]?.tools.map((tool) => tool.name) ?? [];
}

describe('the lists', () => {
  it('are these by default (A9, A10, A17)', () => {
    expect(defaultToolLists).toEqual({ blacklist, inherent });
  });

  it('grow into new lists, each name once, the old ones as they were (A18, A19)', () => {
    const before = structuredClone(defaultToolLists);

    const more = registerInherentTool(registerBlacklistedTool(defaultToolLists, 'x'), 'y');

    expect(more).toEqual({ blacklist: [...blacklist, 'x'], inherent: [...inherent, 'y'] });
    expect(registerInherentTool(registerBlacklistedTool(more, 'x'), 'y')).toEqual(more);
    expect(defaultToolLists).toEqual(before);
  });

  it.each([
    ['', '""'],
    [undefined, 'undefined'],
  ])('take no name like %j (A18)', (name, seen) => {
    const refusal = expect.objectContaining({
      code: 'invalid_options',
      message: expect.stringContaining(seen),
    });
    expect(() => registerBlacklistedTool(defaultToolLists, name as string)).toThrow(refusal);
    expect(() => registerInherentTool(defaultToolLists, name as string)).toThrow(refusal);
  });
});

describe('a child’s first request', () => {
  it('offers none of the eight, even when they are asked for, or everything is (A9, A31)', async () => {
    expect(await offered({ assigned: ['search', ...blacklist] })).toEqual(['search', ...inherent]);
    const all = await offered({ assigned: null, isBoardOn: true });
    expect(all).toEqual([...others, ...inherent]);
  });

  it('offers assigned, runtime and inherent tools, and the board’s where it is on (A10, A39)', async () => {
    const wanted = { assigned: ['search'], runtime: ['computer_file', 'not_here'] };
    const plain = ['search', 'computer_file', ...inherent];

    expect(await offered(wanted)).toEqual(plain);
    const posting = ['search', 'computer_file', 'send_shared_context', ...inherent];
    expect(await offered({ ...wanted, isBoardOn: true })).toEqual(posting);
  });

  it('offers no tool of the board while there is none, whoever asks (A13, A39)', async () => {
    const lists = { ...defaultToolLists, blacklist: [] };
    const board = ['send_shared_context', 'view_shared_context', 'broadcast_shared_context'];

    expect(await offered({ assigned: board, lists })).toEqual(inherent);
    const withBoard = await offered({ assigned: board, lists, isBoardOn: true });
    expect([...withBoard].sort()).toEqual([...board, ...inherent].sort());
  });

  it('shows a change of the lists in agents created afterwards, and in no other (A18)', async () => {
    const { supervisor, model } = supervise({ default: [{ text: 'done' }] }, { tools });
    const wanted = { assigned: ['search', 'read_page'] };
    const before = await within(supervisor.spawn(child('before', wanted)), 'the first agent');

    let lists = registerBlacklistedTool(defaultToolLists, 'search');
    lists = registerInherentTool(lists, 'computer_file');
    const after = await within(
      supervisor.spawn(child('after', { ...wanted, lists })),
      'the second',
    );
    for (const agent of [before, after]) {
      await within(agent.ask('go', { timeoutMs: 20_000 }), 'an answer');
    }

    expect(model.requests().map((request) => request.tools.map(({ name }) => name))).toEqual([
      ['search', 'read_page', ...inherent],
      ['read_page', 'computer_file', ...inherent],
    ]);
  });

  it('is refused unknown_tool for what is assigned and not there, not for what is denied (A31)', async () => {
    const lists = registerBlacklistedTool(defaultToolLists, 'gone');
    expect(await offered({ assigned: ['gone', 'search'], lists })).toEqual(['search', ...inherent]);

    const { supervisor } = supervise({ default: [{ text: 'done' }] }, { tools });
    const agent = child('child', { assigned: ['nowhere'] });
    const error = await rejection(supervisor.delegate({ goal: 'a', agent }));
    expect(error).toMatchObject({ code: 'unknown_tool' });
  });
});

describe('childTools', () => {
  it('is what the formula says, for any lists: deny wins (A39, X7)', () => {
    const some = fc.uniqueArray(fc.constantFrom(...names));
    const requests = fc.record({
      assigned: fc.option(some),
      runtime: some,
      lists: fc.record<ToolLists>({ blacklist: some, inherent: some }),
      isBoardOn: fc.boolean(),
    });

    fc.assert(
      fc.property(requests, ({ assigned, runtime, lists, isBoardOn }) => {
        const made = childTools({ assigned, runtime, lists, isBoardOn, registered });
        const granted = resolveGrants({
          registered: tools,
          declared: made.tools?.map(String),
          granted: made.grantedTools,
          denied: made.disallowedTools ?? [],
        }).map(({ name }) => name);

        const board = ['send_shared_context', 'broadcast_shared_context', 'view_shared_context'];
        const denied = new Set([...lists.blacklist, ...(isBoardOn ? [] : board)]);
        const wanted = new Set([
          ...(assigned ?? names),
          ...runtime,
          ...lists.inherent,
          ...(isBoardOn ? ['send_shared_context'] : []),
        ]);
        expect(granted).toEqual(names.filter((name) => wanted.has(name) && !denied.has(name)));
      }),
    );
  });
});
