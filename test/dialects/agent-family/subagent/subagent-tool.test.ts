// Checks a subagent as its host has it: registration and health, the tool's schema, what a call does and hands back.
import { describe, expect, it } from 'vitest';
import { memoryHost } from '#src/dialects/agent-family/subagent/context-source.js';
import { SubAgentUnavailable } from '#src/dialects/agent-family/subagent/spec.js';
import { SubAgentBase } from '#src/dialects/agent-family/subagent/subagent-base.js';
import { makeSubagentTool } from '#src/dialects/agent-family/subagent/subagent-tool.js';
import { ManualClock } from '#src/testing.js';
import { jsonSchemaOf } from '#src/tools/schema.js';
import { rejection } from '../../../supervisor/support.ts';
import {
  arrange,
  look,
  made,
  recordingLogger,
  resultsIn,
  scout,
  spec,
} from '../subagent-support.ts';

const calls = (name: string, query = 'Look.') => ({ toolCalls: [{ name, input: { query } }] });
const done = { text: 'done' };

describe('registration', () => {
  it('registers who is well, warns of and traces who is not, and lets the others be (D29, D48, X16)', async () => {
    const { registry, logger, tracer } = arrange({ default: [done] });
    const ill = spec('ill');

    const answers = [
      await registry.register(scout(), spec('well')),
      await registry.register(scout(), { ...ill, healthcheck: async () => false }),
      await registry.register(scout(), {
        ...spec('gone'),
        healthcheck: () => {
          throw new SubAgentUnavailable('gone', 'the index is down');
        },
      }),
      await registry.register(scout(), spec('late')),
    ];

    expect(answers).toEqual([true, false, false, true]);
    expect(registry.tools.map(({ name }) => name)).toEqual(['invoke_well', 'invoke_late']);
    expect(logger.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('subagent ill was not registered'),
      expect.stringContaining('the index is down'),
    ]);
    expect(tracer.lines()).toEqual([
      'host < -: open',
      'register_subagent well < host: ok',
      'register_subagent ill < host: crashed',
      'register_subagent gone < host: crashed',
      'register_subagent late < host: ok',
    ]);
  });

  it('builds one instance and asks both checks once; who failed is never tried again (D29)', async () => {
    const asked: string[] = [];
    class Moody extends scout() {
      override async healthcheck(): Promise<boolean> {
        asked.push('instance');
        return false;
      }
    }
    const { registry } = arrange({ default: [done] });
    const moody = { ...spec('moody'), healthcheck: () => asked.push('spec') > 0 };

    const first = await registry.register(Moody, moody);
    const second = await registry.register(Moody, { ...moody, healthcheck: () => true });

    expect([first, second]).toEqual([false, false]);
    expect(asked).toEqual(['spec', 'instance']);
    expect(made).toHaveLength(1);
    expect(registry.tools).toEqual([]);
  });

  it('asks for health at registration alone: a call asks nothing (D29, X16)', async () => {
    let asked = 0;
    const { registry, ask } = arrange({
      agents: { host: [calls('invoke_a'), calls('invoke_a'), done], a: [done] },
    });
    await registry.register(scout(), {
      ...spec('a'),
      healthcheck: () => {
        asked += 1;
      },
    });

    await ask();

    expect(asked).toBe(1);
    expect(made).toHaveLength(3);
  });

  it('has a subagent whose class fails, or that allows a tool there is not, not registered (D29)', async () => {
    class Broken extends scout() {
      constructor(init: ConstructorParameters<ReturnType<typeof scout>>[0]) {
        super(init);
        throw new Error('no index');
      }
    }
    const { registry, logger } = arrange({ default: [done] });

    expect(await registry.register(Broken, spec('broken'))).toBe(false);
    expect(await registry.register(scout(), spec('poor', { toolsAllowlist: ['nowhere'] }))).toBe(
      false,
    );
    expect(logger.warnings.map(({ fields }) => fields['error'])).toEqual([
      'crashed',
      'unknown_tool',
    ]);
  });

  it('gives a health check that never answers up, in time (D29)', async () => {
    const clock = new ManualClock();
    const { registry, logger } = arrange({ default: [done] }, { registry: { clock } });

    const registering = registry.register(scout(), {
      ...spec('a'),
      healthcheck: () => new Promise(() => {}),
    });
    await clock.advance(10_000);

    expect(await registering).toBe(false);
    expect(logger.warnings[0]?.message).toContain('did not answer within 10000 ms');
  });

  it('refuses a second subagent of one name, and a second tool (D27)', async () => {
    const { registry } = arrange({ default: [done] });
    await registry.register(scout(), spec('a'));

    const again = await rejection(registry.register(scout(), spec('a')));
    const taken = await rejection(registry.register(scout(), spec('b'), { toolName: 'invoke_a' }));

    expect(again).toMatchObject({ code: 'invalid_options' });
    expect(taken).toMatchObject({ code: 'invalid_tool' });
    await expect(registry.register({} as never, spec('c'))).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('extends SubAgentBase'),
    });
  });
});

describe('the tool of a subagent', () => {
  it('shows query and context, under its name, and nothing that is preset (D28, D31)', () => {
    const { host } = arrange({ default: [done] });
    const options = {
      host: memoryHost(host),
      permissions: { logger: recordingLogger(), supervisorName: 'host' },
    };
    const { tool, registration } = makeSubagentTool(scout(), spec('a'), options);
    const named = makeSubagentTool(scout(), spec('a'), { ...options, toolName: 'ask_a' });

    const schema = jsonSchemaOf(tool.input);

    expect(tool).toMatchObject({ kind: 'tool', name: 'invoke_a', description: 'Does the a.' });
    expect(Object.keys(schema['properties'] as object)).toEqual(['query', 'context']);
    expect(schema['required']).toEqual(['query']);
    expect(named.tool.name).toBe('ask_a');
    expect(registration.presetArguments).toEqual(['host', 'hostToolkit', 'permissions']);
  });

  it('answers every call by a fresh instance with an empty memory (D30, D43)', async () => {
    const { registry, ask, requestsOf, host } = arrange({
      agents: { host: [calls('invoke_a', 'One.'), calls('invoke_a', 'Two.'), done], a: [done] },
    });
    await registry.register(scout(), spec('a'));

    await ask();

    const [, first, second] = made;
    expect(first?.id).not.toBe(second?.id);
    expect(requestsOf('a')).toHaveLength(2);
    expect(JSON.stringify(requestsOf('a')[1]?.messages)).not.toContain('One.');
    expect(requestsOf('host')[0]?.tools.map(({ name }) => name)).toEqual(['invoke_a']);
    expect(host.toolkit.names()).toEqual(['invoke_a']);
  });

  it('goes one way: host acting, tool, export, delegate, one result; as any tool does (D32, D48)', async () => {
    const order: string[] = [];
    class Watched extends scout() {
      static override preContextCompress(
        ...args: Parameters<typeof SubAgentBase.preContextCompress>
      ) {
        order.push('compress');
        return SubAgentBase.preContextCompress(...args);
      }
      override async delegate(...args: Parameters<SubAgentBase['delegate']>) {
        order.push('delegate');
        return super.delegate(...args);
      }
    }
    const { registry, ask, watch, tracer, requestsOf } = arrange({
      agents: { host: [calls('invoke_a'), done], a: [{ text: 'found it' }] },
    });
    await registry.register(Watched, spec('a'));

    await ask();

    expect(order).toEqual(['compress', 'delegate']);
    expect(watch.of('tool_started').map(({ name, where }) => [name, where])).toEqual([
      ['invoke_a', 'host'],
    ]);
    expect(watch.of('tool_completed').map(({ isError }) => isError)).toEqual([false]);
    expect(resultsIn(requestsOf('host')[1])).toEqual(['found it']);
    expect(tracer.lines().slice(2)).toEqual([
      'execute_tool a < host: ok',
      'invoke_agent a < execute_tool a: ok',
    ]);
    const [parent, child] = watch.of('agent_started');
    expect(child).toMatchObject({ name: 'a', depth: 1, parentId: parent?.agentId });
  });

  it('has the tools of its allowlist, whatever its host switches, and its host has none of them (D27, D33, D58)', async () => {
    const hostToolkit = [look];
    const { registry, ask, requestsOf } = arrange(
      {
        agents: {
          host: [calls('look'), calls('invoke_a'), calls('invoke_b'), done],
          a: [{ toolCalls: [{ name: 'look', input: { what: 'moon' } }] }, done],
          b: [done],
        },
      },
      { registry: { hostToolkit } },
    );
    await registry.register(scout({ tools: () => [] }), spec('a', { toolsAllowlist: ['look'] }));
    await registry.register(scout(), spec('b'));
    hostToolkit.pop();

    await ask();

    const offered = (name: string) => requestsOf(name)[0]?.tools.map((tool) => tool.name);
    expect(offered('a')).toEqual(['look']);
    expect(resultsIn(requestsOf('a')[1])).toEqual(['seen: moon']);
    expect(offered('b')).toEqual([]);
    expect(offered('host')).toEqual(['invoke_a', 'invoke_b']);
    expect(resultsIn(requestsOf('host')[1])).toEqual([
      expect.stringContaining('There is no tool "look" here'),
    ]);
  });

  it('has no tool that delegates, even one its allowlist names (D35, X6)', async () => {
    const { registry, ask, requestsOf } = arrange({
      agents: { host: [calls('invoke_b'), done], a: [done], b: [calls('invoke_a'), done] },
    });
    await registry.register(scout(), spec('a'));
    const [inner] = registry.tools;
    await registry.register(
      scout({ tools: () => (inner === undefined ? [] : [inner]) }),
      spec('b', { toolsAllowlist: ['invoke_a'] }),
    );

    await ask();

    expect(requestsOf('b')[0]?.tools).toEqual([]);
    expect(requestsOf('a')).toEqual([]);
    expect(resultsIn(requestsOf('b')[1])).toEqual([
      expect.stringContaining('There is no tool "invoke_a" here'),
    ]);
  });

  it('asks the override for this call, else the model of the class (D50)', async () => {
    const { registry, ask, requestsOf, model } = arrange({
      agents: { host: [calls('invoke_a'), calls('invoke_b'), done] },
    });
    const asked: string[] = [];
    const named = (id: string) => ({
      id,
      respond: async (request: Parameters<typeof model.respond>[0]) => {
        asked.push(`${request.agent.name} by ${id}`);
        return {
          content: [{ type: 'text' as const, text: 'done' }],
          stopReason: 'end_turn' as const,
          usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
          isEstimated: true,
          model: id,
        };
      },
    });
    const Own = scout({ model: named('own') });
    await registry.register(Own, { ...spec('a'), modelOverride: named('other') });
    await registry.register(Own, spec('b'));

    await ask();

    expect(asked).toEqual(['a by other', 'b by own']);
    expect(requestsOf('a')).toEqual([]);
  });
});
