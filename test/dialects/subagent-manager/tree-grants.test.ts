// Checks what subagents may use below a main agent of the tree that has no such tool: the operator's grants are kept, in the
// foreground and the background, and what a model names is its caller's (A10, A31, A39, X7).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { subagentManager } from '#src/dialects/subagent-manager/index.js';
import { defineAgent, defineTool, type SupervisorOptions } from '#src/index.js';
import { toolFixture, within } from '../../supervisor/support.ts';
import { directing, lastGoalOf, resultsIn, type Step, toolsOf } from '../../support/directed.ts';
import { folder, on } from './rig.ts';

const named = (name: string) =>
  defineTool({ name, description: name, input: z.object({}), run: () => `${name} ran` });
const tools = ['domain', 'inherent', 'runtime', 'other'].map(named);
const files = ['list', 'glob', 'read', 'grep', 'edit', 'apply_patch', 'write'];

const send = (name: string, isBackground: boolean): readonly Step[] => {
  const input = { name, input: 'work', background_task: isBackground };
  const wait: Step = { calls: [['wait_for_subagent', { subagent_name: name }]] };
  return [{ calls: [['transfer_to_subagent', input]] }, ...(isBackground ? [wait] : [])];
};

/** A main agent that has the tools of its session's manager and those named; `ada` is the operator's. */
async function led(
  lead: readonly Step[],
  {
    assigned = ['domain'],
    has = [],
    denied = [],
    options = {},
  }: {
    readonly assigned?: readonly string[] | null;
    readonly has?: readonly string[];
    readonly denied?: readonly string[];
    readonly options?: Partial<SupervisorOptions>;
  } = {},
) {
  const rig = directing(
    { lead: [...lead, { text: 'led' }] },
    { workspace: folder(), tools, ...options },
    lastGoalOf,
  );
  const subagents = subagentManager(rig.supervisor.session('chat'));
  subagents.configure(
    { ...on, inherent: ['inherent'], agents: [{ name: 'ada', personaId: 'p' }] },
    { personaOf: () => ({ tools: assigned }), runtimeTools: ['runtime'], toolsets: ['file'] },
  );
  const agent = defineAgent({
    name: 'main',
    tools: has,
    disallowedTools: denied,
    ...subagents.mainAgent(),
  });
  await within(rig.supervisor.delegate({ goal: 'lead', agent }), 'the main agent');
  return { ...rig, offered: toolsOf(rig.model, 'work') };
}

const created = { name: 'ben', system_prompt: 'Work.', tools: ['domain', 'other'] };

describe.each([
  ['foreground', false],
  ['background', true],
])('in the %s', (_where, isBackground) => {
  it('an agent of the operator has all that it was given, which its caller lacks (A10, A39, X7)', async () => {
    const { offered, watch } = await led(send('ada', isBackground));

    expect(offered).toEqual(['domain', 'inherent', 'runtime', ...files]);
    expect(watch.of('log')).toEqual([]);
  });

  it('an agent of the operator that names no tools has every registered one, thread tools too (A39, X7)', async () => {
    const { offered } = await led(send('ada', isBackground), {
      assigned: null,
      options: { tools: [...tools, toolFixture('careful')] },
    });

    expect(offered).toEqual([
      'domain',
      'inherent',
      'runtime',
      'other',
      'always',
      'sometimes',
      ...files,
    ]);
  });

  it('what the main agent is denied binds an agent of the operator too, and that is told (X7)', async () => {
    const { offered, watch } = await led(send('ada', isBackground), {
      denied: ['inherent', 'tag:write'],
    });

    expect(offered).toEqual(['domain', 'runtime', 'list', 'glob', 'read', 'grep']);
    expect(watch.of('log').map(({ message }) => message)).toEqual([
      'agent ada: tool "inherent" was left out: it is denied to an agent above',
      'agent ada: tool "edit" was left out: it is denied to an agent above',
      'agent ada: tool "apply_patch" was left out: it is denied to an agent above',
      'agent ada: tool "write" was left out: it is denied to an agent above',
    ]);
  });

  it('an agent that a model creates has what the operator grants and what its caller may use, and both are told (A31, X7)', async () => {
    const create: Step = { calls: [['create_subagent', created]] };
    const { offered, model, watch } = await led([create, ...send('ben', isBackground)], {
      has: ['other'],
    });

    expect(offered).toEqual(['inherent', 'runtime', 'other', ...files]);
    const why = 'tool "domain" was left out: the agent that asked for it may not use it';
    expect(resultsIn(model.requests('lead')[1])[0]?.[0], 'at its creation').toContain(why);
    expect(watch.of('log').map(({ message }) => message)).toEqual([`agent ben: ${why}`]);
  });
});
