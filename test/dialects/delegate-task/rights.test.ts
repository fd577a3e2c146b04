// Checks what a child of `delegate_task` may use: of its options as a bound, of its caller, of the program's tools (C14, X7).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type DelegateTaskOptions, delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { defineTool } from '#src/index.js';
import { within } from '../../supervisor/support.ts';
import { directing, envelopeIn, resultsIn, toolsOf } from '../../support/directed.ts';

const named = (name: string, ...tags: string[]) =>
  defineTool({ name, description: name, input: z.object({}), tags, run: () => `${name} ran` });
const lookup = named('lookup');
const clarify = named('clarify');
const remember = named('remember', 'memory');
const registered = [lookup, clarify, remember];
const files = ['list', 'glob', 'read', 'grep', 'edit', 'apply_patch', 'write'];
const web = ['web_fetch'];

/** One call in a loop of the program. */
async function inLoop(input: object, options: DelegateTaskOptions = {}) {
  const { supervisor, model } = directing({}, { tools: registered });
  const tools = supervisor.session('chat').tools(delegateTaskTool({ ...options }));
  const result = await within(tools.call('delegate_task', { goal: 'part', ...input }), 'it');
  return { offered: toolsOf(model, 'part'), warnings: envelopeIn(result).warnings };
}

/** One call of an agent of the tree. */
async function inTree(
  input: object,
  {
    options = {},
    tools = [],
    toolsets = [],
  }: {
    readonly options?: DelegateTaskOptions;
    readonly tools?: readonly string[];
    readonly toolsets?: readonly string[];
  } = {},
) {
  const call = ['delegate_task', { goal: 'part', ...input }] as const;
  const { supervisor, model } = directing(
    { plan: [{ calls: [call] }, { text: 'done' }] },
    { tools: [...registered, delegateTaskTool(options)] },
  );
  const task = { goal: 'plan', tools: ['delegate_task', ...tools], toolsets };
  await within(supervisor.delegate(task), 'the outcome');
  const [[content = '', isError = false] = []] = resultsIn(model.requests('plan')[1]);
  return { offered: toolsOf(model, 'part'), warnings: envelopeIn({ content, isError }).warnings };
}

describe('in a loop of the program', () => {
  it.each([
    ['without toolsets', { toolsets: [] }, { toolsets: ['terminal'] }, []],
    ['without a word of toolsets', {}, { toolsets: ['terminal'] }, []],
    ['with tools alone', { tools: [] }, { toolsets: ['terminal'] }, []],
    ['with a toolset', { toolsets: ['file'] }, { toolsets: ['terminal', 'file'] }, files],
  ])(
    'a tool made %s gives no shell to a model that asks for one (C14, X7)',
    async (_how, options, input, has) => {
      const { offered, warnings } = await inLoop(input, { tools: [], ...options });

      expect(offered).toEqual(has);
      expect(warnings).toEqual([expect.stringContaining('terminal')]);
    },
  );

  it('a shell is no default, and had where the program gives it (C14, X7)', async () => {
    const usual = await inLoop({});
    expect(usual.offered).toEqual(['lookup', ...files, ...web]);
    expect(usual.warnings).toBeUndefined();

    const given = await inLoop({}, { tools: [], toolsets: ['terminal'] });
    expect([given.offered, given.warnings]).toEqual([['terminal'], undefined]);
  });

  it('a call that names toolsets has the program’s tools beside them, less the blocked ones (X7)', async () => {
    const { offered } = await inLoop({ toolsets: ['file'] });

    expect(offered).toEqual(['lookup', ...files]);
  });
});

describe('below an agent of the tree', () => {
  it.each([
    ['names nothing', {}],
    ['names what the caller has', { toolsets: ['file'] }],
  ])(
    'a child that %s has its caller’s tools, less the blocked ones (C15, X7)',
    async (_how, input) => {
      const { offered, warnings } = await inTree(input, {
        tools: ['lookup', 'clarify', 'remember'],
        toolsets: ['file'],
      });

      expect(offered).toEqual(['lookup', ...files]);
      expect(warnings).toBeUndefined();
    },
  );

  it('what its caller lacks it has not, and its caller is told (X7)', async () => {
    const { offered, warnings = [] } = await inTree(
      { toolsets: ['terminal', 'web'] },
      { tools: ['lookup'], toolsets: ['web'] },
    );

    expect(offered).toEqual(['lookup', ...web]);
    expect(warnings).toEqual([expect.stringMatching(/"terminal" was left out/)]);
  });

  it('with no tool at all it says so (X7)', async () => {
    const { offered, warnings } = await inTree({});

    expect(offered).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('there is no tool')]);
  });

  it('has the tools and toolsets of its options, which its caller lacks, and no others (X7)', async () => {
    const options = { tools: ['lookup', named('inline')], toolsets: ['file'] };
    const all = await inTree({}, { options });
    expect([all.offered, all.warnings]).toEqual([['lookup', 'inline', ...files], undefined]);

    const asked = await inTree({ toolsets: ['web', 'file'] }, { options, toolsets: ['web'] });
    expect(asked.offered).toEqual(['lookup', 'inline', ...files]);
    expect(asked.warnings).toEqual([expect.stringMatching(/"web" was left out/)]);
  });

  it('a blocked tool among its options stays blocked (C15, X7)', async () => {
    const { offered } = await inTree({}, { options: { tools: ['lookup', 'clarify', 'remember'] } });

    expect(offered).toEqual(['lookup']);
  });
});
