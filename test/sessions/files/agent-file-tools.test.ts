// Checks what tool names of agent files come to: toolsets, denials, names of registered tools, what has no effect.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOfList, fileTools } from '#src/sessions/files/agent-file-tools.js';

const grants = (tools: readonly string[], disallowed: readonly string[] = []) =>
  fileTools({ tools, disallowed }, new Set(['lookup', 'read_mail']), []);

describe('the entries of a list', () => {
  it.each([
    ['Read, Grep ,Glob', ['Read', 'Grep', 'Glob']],
    [
      'Agent(worker, reviewer), Bash(git log:*), Read',
      ['Agent(worker, reviewer)', 'Bash(git log:*)', 'Read'],
    ],
    [
      ['Read', ' Grep '],
      ['Read', 'Grep'],
    ],
    ['', []],
    [null, []],
    [{ Read: true }, null],
    [7, null],
    [['Read', 7], null],
  ])('of %j are %j', (value, entries) => {
    expect(entriesOfList(value)).toEqual(entries);
  });
});

describe('tools of an agent file', () => {
  it('name a part of a toolset by denying the rest of it (X7)', () => {
    expect(grants(['Read', 'Grep', 'WebFetch'])).toEqual({
      tools: [],
      toolsets: ['file', 'web'],
      disallowedTools: ['list', 'glob', 'edit', 'apply_patch', 'write', 'web_search'],
      leftOver: { tools: [], disallowedTools: [] },
      remarks: [],
    });
  });

  it('may be ours, whole toolsets, and tools of the supervisor', () => {
    expect(grants(['file', 'web_fetch', 'lookup', 'Bash'])).toMatchObject({
      tools: ['lookup'],
      toolsets: ['file', 'terminal', 'web'],
      disallowedTools: ['web_search'],
      remarks: [],
    });
  });

  it('that are not named are all that is registered, and the inherited toolsets', () => {
    const none = { tools: undefined, disallowed: ['Bash'] };

    expect(fileTools(none, new Set(), ['file'])).toMatchObject({
      toolsets: ['file'],
      disallowedTools: ['terminal'],
    });
    expect(fileTools(none, new Set(), [])).not.toHaveProperty('tools');
    expect(fileTools({ ...none, tools: ['Read', '*'] }, new Set(), [])).not.toHaveProperty('tools');
  });

  it('without an equivalent are dropped with a remark each, and never widen to all', () => {
    const { remarks, leftOver, ...rest } = grants([
      'NotebookEdit',
      'mcp__github__search',
      'Read(./docs/**)',
    ]);

    expect(rest).toEqual({ tools: [] });
    expect(leftOver.tools).toEqual(['NotebookEdit', 'mcp__github__search', 'Read(./docs/**)']);
    expect(remarks.map(({ message }) => message)).toEqual([
      expect.stringMatching(/no tool NotebookEdit/),
      expect.stringMatching(/no tool mcp__github__search/),
      expect.stringMatching(/whole tool read.*grants nothing/),
    ]);
  });

  it.each(['Agent', 'Agent(worker, reviewer)', 'Task(worker)'])('keep %s as metadata', (entry) => {
    const { leftOver, remarks } = grants(['Read', entry]);

    expect(leftOver.tools).toEqual([entry]);
    expect(remarks).toEqual([
      { field: 'tools', message: expect.stringMatching(/metadata.*grants nothing/) },
    ]);
  });

  it.each([
    ['Agent', undefined],
    ['Agent(worker, reviewer)', ['worker', 'reviewer']],
    ['Task(worker)', ['worker']],
  ])('%s grants the registered tools that start agents, limited to %j (X7)', (entry, delegates) => {
    const registered = new Set(['Agent', 'TaskOutput', 'TaskStop', 'lookup']);

    const { tools, remarks, ...rest } = fileTools(
      { tools: ['Read', entry], disallowed: [] },
      registered,
      [],
    );

    expect(tools).toEqual(['Agent', 'TaskOutput', 'TaskStop']);
    expect(rest.delegates).toEqual(delegates);
    expect(remarks).toEqual([]);
  });

  it('name Edit and Glob by tools that do no more (X7)', () => {
    expect(grants(['Edit', 'MultiEdit', 'Glob'])).toEqual({
      tools: [],
      toolsets: ['file'],
      disallowedTools: ['list', 'read', 'grep', 'apply_patch', 'write'],
      leftOver: { tools: [], disallowedTools: [] },
      remarks: [],
    });
  });

  it('grant the terminal for the commands that patterns name (X7)', () => {
    const { remarks, ...rest } = grants([
      'Read',
      'Bash(npm test:*)',
      'terminal(git diff)',
      'Bash(ls *)',
    ]);

    expect(rest).toMatchObject({
      toolsets: ['file', 'terminal'],
      allowedCommands: ['npm test:*', 'git diff', 'ls *'],
      leftOver: { tools: [] },
    });
    expect(remarks).toEqual([]);
  });

  it.each([
    [['Bash', 'Bash(npm test:*)']],
    [['Bash(npm test:*)', 'terminal']],
    [['Bash(*)']],
    [['Bash(:*)', 'Bash(git diff)']],
  ])('grant the whole terminal for %j', (tools) => {
    const granted = grants(tools);

    expect(granted).toMatchObject({ toolsets: ['terminal'], remarks: [] });
    expect(granted).not.toHaveProperty('allowedCommands');
  });

  it.each([
    ['Bash()', 'it names no command'],
    ['Bash(git * main)', 'a * has a meaning at its end alone'],
    ['Bash(npm*)', 'a * has a meaning at its end alone'],
    ['Bash(cd x && npm test:*)', 'it has the operator &'],
    ['Edit(src/**)', 'would be the whole tool edit: patterns are known for commands alone'],
  ])('grant nothing for %s, and say why', (entry, why) => {
    const { remarks, leftOver, ...rest } = grants([entry]);

    expect(rest).toEqual({ tools: [] });
    expect(leftOver.tools).toEqual([entry]);
    expect(remarks).toEqual([{ field: 'tools', message: expect.stringContaining(why) }]);
  });

  it('grant no command where the program has a shell of that name', () => {
    for (const name of ['Bash', 'terminal']) {
      const tools = fileTools({ tools: ['Bash(git diff)'], disallowed: [] }, new Set([name]), []);
      expect(tools).toMatchObject({ tools: [], leftOver: { tools: ['Bash(git diff)'] } });
      expect(tools).not.toHaveProperty('toolsets');
    }
  });

  it('are denied whole where a pattern denies a part, and by their own name where they are unknown', () => {
    const { disallowedTools, leftOver, remarks } = grants(
      ['Bash'],
      ['Bash(rm:*)', 'lookup', 'strange', 'Agent', 'Agent(worker)', 'web'],
    );

    expect(disallowedTools).toEqual([
      'terminal',
      'lookup',
      'strange',
      'tag:delegation',
      'web_fetch',
      'web_search',
    ]);
    expect(leftOver.disallowedTools).toEqual(['Agent(worker)']);
    expect(remarks).toHaveLength(3);
  });

  it('grant no built-in tool that was not named, and none that was denied (X7)', () => {
    const ours: Readonly<Record<string, string>> = {
      Read: 'read',
      Write: 'write',
      Edit: 'edit',
      Grep: 'grep',
      Glob: 'glob',
      LS: 'list',
      Bash: 'terminal',
      WebFetch: 'web_fetch',
      WebSearch: 'web_search',
    };
    const contents: Readonly<Record<string, readonly string[]>> = {
      file: ['list', 'glob', 'read', 'grep', 'edit', 'apply_patch', 'write'],
      terminal: ['terminal'],
      web: ['web_fetch', 'web_search'],
    };
    const some = fc.subarray(Object.keys(ours));
    fc.assert(
      fc.property(some, some, (tools, disallowed) => {
        const { toolsets = [], disallowedTools = [] } = grants(tools, disallowed);
        const given = toolsets
          .flatMap((name) => contents[name] ?? [])
          .filter((name) => !disallowedTools.includes(name));
        const wanted = new Set(tools.map((name) => ours[name]));
        const unwanted = new Set(disallowed.map((name) => ours[name]));
        expect(new Set(given)).toEqual(new Set([...wanted].filter((name) => !unwanted.has(name))));
      }),
    );
  });
});
