// Checks the options of the agent family in the words of their source.
import { expect, it } from 'vitest';
import { ReActAgent, reActAgentOptions, subAgentSpec } from '#src/dialects/agent-family/index.js';
import { checkSpec } from '#src/dialects/agent-family/subagent/spec.js';
import { supervise, within } from '../../supervisor/support.ts';
import { msg } from './support.ts';

it('makes a ReAct agent of the source’s names (D13)', async () => {
  const { supervisor, model } = supervise({ default: [{ text: 'hello' }] });
  const options = reActAgentOptions({
    name: 'friday',
    supervisor,
    sys_prompt: 'You are Friday.',
    max_iters: 3,
    parallel_tool_calls: true,
    long_term_memory: null,
    long_term_memory_mode: 'both',
    enable_meta_tool: false,
    print_hint_msg: false,
  });

  const reply = await within(new ReActAgent(options).reply(msg('hi')), 'the reply');

  expect(reply.content).toBe('hello');
  expect(model.requests()[0]?.system).toContain('You are Friday.');
  expect(() => new ReActAgent(reActAgentOptions({ ...options, max_iter: 3 }))).toThrow('max_iter');
  expect(() => reActAgentOptions({ max_iters: 3, maxIters: 4 })).toThrow('said twice, 3 and 4');
  expect(() => reActAgentOptions('friday' as never)).toThrow('expected an object');
});

it('makes a spec of the source’s names (D36)', () => {
  const spec = subAgentSpec({
    name: 'scout',
    description: 'Looks.',
    tools_allowlist: ['search'],
    model_override: 'offline',
  });

  expect(checkSpec(spec)).toMatchObject({ toolsAllowlist: ['search'], modelOverride: 'offline' });
});
