// Checks the configuration of `delegate_task` in the words of its source.
import { describe, expect, it } from 'vitest';
import { delegateTaskTool, delegationConfig } from '#src/dialects/delegate-task/index.js';
import { within } from '../../supervisor/support.ts';
import { directing } from '../../support/directed.ts';

describe('a configuration of the source', () => {
  it('is read as it is written there, unset settings left out (C10, C19, C21, C26, C30, C37)', () => {
    const config = {
      delegation: {
        model: 'claude-haiku-4-5',
        provider: 'anthropic',
        base_url: '',
        api_key: '',
        api_mode: null,
        max_iterations: 20,
        child_timeout_seconds: 1.001,
        max_concurrent_children: 5,
        max_spawn_depth: 2,
        orchestrator_enabled: false,
        default_toolsets: ['file', 'web'],
      },
      terminal: { backend: 'local' },
    };

    const read = delegationConfig(config);

    expect(read).toEqual({
      options: {
        model: { provider: 'anthropic', model: 'claude-haiku-4-5' },
        maxIterations: 20,
        childTimeoutMs: 1_001,
        maxConcurrentChildren: 5,
        maxSpawnDepth: 2,
        orchestratorEnabled: false,
        toolsets: ['file', 'web'],
      },
      limits: { maxConcurrentChildren: 5, maxSpawnDepth: 2 },
    });
    expect(delegationConfig(config.delegation)).toEqual(read);
    expect(delegationConfig({})).toEqual({ options: {}, limits: {} });
  });

  it.each<[Record<string, unknown>, unknown]>([
    [{ model: 'gpt-5' }, { model: 'gpt-5' }],
    [{ model: 'offline' }, 'offline'],
    [{ model: 'openai:gpt-5' }, 'openai:gpt-5'],
    [{ provider: 'openai' }, { provider: 'openai' }],
    [
      { provider: 'custom', base_url: 'http://h/v1', api_key: 'k', model: 'm' },
      { baseUrl: 'http://h/v1', apiKey: 'k', model: 'm' },
    ],
    [
      { base_url: 'http://h/v1', api_mode: 'chat_completions' },
      { baseUrl: 'http://h/v1', apiMode: 'chat_completions' },
    ],
  ])('says by %j what children think with (C37 to C40)', (delegation, model) => {
    expect(delegationConfig({ delegation }).options.model).toEqual(model);
  });

  it.each<[Record<string, unknown>, string, RegExp]>([
    [{ max_iteration: 3 }, 'max_iteration', /no option "max_iteration"/],
    [{ max_iterations: 0 }, 'maxIterations', />=1|1/],
    [{ child_timeout_seconds: '5' }, 'childTimeoutMs', /number/],
    [{ provider: 'openrouter' }, 'provider', /expected anthropic or openai, or a base_url/],
    [{ api_key: 7 }, 'apiKey', /\[key\]/],
  ])('is refused for %j', (delegation, field, message) => {
    const read = () => delegationConfig({ delegation });

    expect(read).toThrow(expect.objectContaining({ code: 'invalid_options' }));
    expect(read).toThrow(expect.objectContaining({ detail: expect.objectContaining({ field }) }));
    expect(read).toThrow(message);
  });

  it('bounds the tool and the supervisor: three levels are three levels (C26, X17)', async () => {
    const { options, limits } = delegationConfig({ max_spawn_depth: 2, max_iterations: 4 });
    const deeper = (goal: string) => ['delegate_task', { goal, role: 'orchestrator' }] as const;
    const { supervisor, watch } = directing(
      { a: [{ calls: [deeper('b')] }], b: [{ calls: [deeper('c')] }] },
      { limits, tools: [delegateTaskTool(options)] },
    );

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    const depths = watch.of('agent_started').map(({ depth }) => depth);
    expect(Math.max(...depths.map((depth) => depth ?? 0))).toBe(2);
  });
});
