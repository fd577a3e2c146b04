// Checks that the allowlist of a subagent bounds all that its class brings: toolsets, modules, names, own tools (D27, D46, X7).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Permissions } from '#src/dialects/agent-family/subagent/permissions.js';
import type { SubagentSettings } from '#src/dialects/agent-family/subagent/subagent-base.js';
import { defineTool } from '#src/index.js';
import type { ScriptStep } from '#src/testing.js';
import { temporaryFolder } from '../../../fixtures/tool-context.ts';
import { toolFixture, within } from '../../../supervisor/support.ts';
import { arrange, look, resultsIn, scout, spec } from '../subagent-support.ts';

const registered = defineTool({
  name: 'registered',
  description: 'Is registered on the supervisor.',
  input: z.object({}),
  run: () => 'registered ran',
});

/** A host without tools has a subagent of this class and allowlist, and calls it once. */
async function called(
  settings: Partial<SubagentSettings>,
  toolsAllowlist: readonly string[],
  more: {
    readonly permissions?: Partial<Permissions>;
    readonly steps?: readonly ScriptStep[];
    readonly workspace?: string;
  } = {},
) {
  const { permissions = {}, steps = [{ text: 'scouted' }], workspace = temporaryFolder() } = more;
  const rig = arrange(
    {
      agents: {
        host: [{ toolCalls: [{ name: 'invoke_scout', input: { query: 'Go.' } }] }, { text: 'ok' }],
        scout: steps,
      },
    },
    { permissions, supervisor: { tools: [registered], workspace } },
  );
  const isThere = await rig.registry.register(scout(settings), spec('scout', { toolsAllowlist }));
  if (isThere) await rig.ask();
  const requests = rig.requestsOf('scout');
  return { ...rig, isThere, requests, offered: requests[0]?.tools.map(({ name }) => name) };
}

const own = { ...look, name: 'own' };
const module = toolFixture('careful');

describe('the allowlist of a subagent', () => {
  it.each<[string, Partial<SubagentSettings>]>([
    ['toolsets', { run: { toolsets: ['file', 'terminal'] } }],
    ['own tools', { run: { ownTools: [own] } }],
    ['granted tools', { run: { grantedTools: ['registered'] } }],
    ['modules', { tools: () => [module] }],
    ['names', { tools: () => ['registered'] }],
  ])('is no tool when it is empty, whatever %s its class has (D27)', async (_what, settings) => {
    const { offered } = await called(settings, []);

    expect(offered).toEqual([]);
  });

  it('is no tool when it is empty, also for one that a program asks itself (D27, D59)', async () => {
    const { supervisor, logger, requestsOf } = arrange(
      { agents: { scout: [{ text: 'scouted' }] } },
      { supervisor: { tools: [registered], workspace: temporaryFolder() } },
    );
    const Scout = scout({ run: { toolsets: ['file', 'terminal'], grantedTools: ['registered'] } });
    const permissions = { logger, supervisorName: 'program' };
    const agent = new Scout({ name: 'scout', supervisor, permissions });

    await within(agent.delegate('Go.'), 'the response');

    expect(requestsOf('scout')[0]?.tools).toEqual([]);
  });

  it.each<[string, Partial<SubagentSettings>, string, readonly string[]]>([
    ['a toolset', { run: { toolsets: ['file'] } }, 'read', ['read']],
    ['its own tools', { run: { ownTools: [own] } }, 'own', ['own']],
    ['a module', { tools: () => [module, look] }, 'sometimes', ['sometimes']],
    ['the registered ones', { tools: () => ['registered', look] }, 'registered', ['registered']],
  ])('names a tool of %s, which its host has not (D27, X7)', async (_what, settings, name, has) => {
    const { offered, responses } = await called(settings, [name]);

    expect(offered).toEqual(has);
    expect(responses[0]?.metadata.error).toBeUndefined();
  });

  it('a tool of a module runs in the subagent’s thread when it is called (D27)', async () => {
    const { requests } = await called({ tools: () => [toolFixture('plain')] }, ['echo'], {
      steps: [{ toolCalls: [{ name: 'echo', input: { text: 'hello' } }] }, { text: 'scouted' }],
    });

    expect(JSON.stringify(resultsIn(requests[1]))).toContain('hello');
  });

  it('a name that no module has is an error of the call, never a tool less (D54, X7)', async () => {
    const { offered, responses, logger } = await called({ tools: () => [module] }, ['nowhere']);

    expect(offered).toBeUndefined();
    expect(responses[0]?.metadata).toMatchObject({ unavailable: true });
    expect(logger.warnings.map(({ message }) => message).join()).toContain('nowhere');
  });
});

describe('a subagent that is lent a file system', () => {
  it('has the file tools of its virtual root for those of its class’s toolset (D46)', async () => {
    const root = temporaryFolder();
    const { offered, requests } = await called({ run: { toolsets: ['file'] } }, ['write', 'list'], {
      permissions: { filesystem: { root } },
      steps: [
        { toolCalls: [{ name: 'write', input: { path: 'a.txt', content: 'a' } }] },
        { toolCalls: [{ name: 'write', input: { path: '/workspace/b.txt', content: 'b' } }] },
        { text: 'scouted' },
      ],
    });

    expect(offered).toEqual(['write', 'list']);
    expect(readFileSync(join(root, 'subagents/scout/a.txt'), 'utf8')).toBe('a');
    expect(JSON.stringify(resultsIn(requests[2]))).toContain(
      'is not in /workspace/subagents/scout',
    );
  });

  it('is refused a shell at registration, and has none unless it is named (D46)', async () => {
    const settings = { run: { toolsets: ['terminal'] } };
    const permissions = { filesystem: { root: temporaryFolder() } };
    const named = await called(settings, ['terminal'], { permissions });
    expect(named.isThere).toBe(false);
    expect(named.logger.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/"terminal" leads out of the file system/),
    ]);

    const unnamed = await called(settings, [], { permissions });
    expect([unnamed.isThere, unnamed.offered]).toEqual([true, []]);
  });
});
