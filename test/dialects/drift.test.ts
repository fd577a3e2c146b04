// Checks what is deliberately not here: what the sources dropped or added later and their contracts do not have (X21).
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AgentBase, SubAgentBase } from '#src/dialects/agent-family/index.js';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { ContextState } from '#src/dialects/scope/index.js';
import { defineTool } from '#src/index.js';
import { superviseInManualTime, within } from '../supervisor/support.ts';
import { directing, envelopeIn, resultsIn, toolsOf } from '../support/directed.ts';
import { arrange, emits } from './scope/support.ts';
import { rig } from './subagent-manager/rig.ts';

const delegates = delegateTaskTool();
const tenMinutesMs = 600_000;

describe('delegate_task', () => {
  it('stops a silent child after ten minutes where no limit is set (X21, C21)', async () => {
    const { supervisor, clock, watch } = superviseInManualTime({ default: [{ hang: true }] });
    const tools = supervisor.session('chat').tools(delegates);
    const call = tools.call('delegate_task', { goal: 'a', toolsets: [] });
    await watch.next('turn_started');

    await clock.advance(tenMinutesMs - 1);
    expect(watch.of('task_completed')).toEqual([]);
    await clock.advance(1);

    const { results } = envelopeIn(await within(call, 'the result'));
    expect(results).toMatchObject([{ status: 'timeout' }]);
  });

  it('has a ceiling of three levels, whatever the program asks for (X21, C26, C29)', async () => {
    const warnings: string[] = [];
    const tool = delegateTaskTool({ maxSpawnDepth: 99, onWarning: (text) => warnings.push(text) });
    const probe = defineTool({
      name: 'probe',
      description: 'Delegates from the third level.',
      input: z.object({}),
      run: (_input, context) => tool.run([], { ...context, agent: { ...context.agent, depth: 3 } }),
    });
    const parts = { plan: [{ calls: [['probe', {}]] as const }, { text: 'ok' }] };
    const { supervisor, model, watch } = directing(parts, {
      tools: [probe],
      limits: { maxSpawnDepth: 99 },
    });

    await within(supervisor.delegate({ goal: 'plan' }), 'the outcome');

    expect(warnings).toEqual([expect.stringMatching(/99 is not 1 to 3, 3 is used/)]);
    expect(resultsIn(model.requests('plan')[1])).toEqual([
      [expect.stringMatching(/you are at depth 3, and the limit is 3/), true],
    ]);
    expect(watch.of('task_queued')).toHaveLength(1);
  });

  it('gives no child execute_code, an orchestrator included (X21, C15)', async () => {
    const code = defineTool({
      name: 'execute_code',
      description: 'Runs code.',
      input: z.object({}),
      run: () => 'ran',
    });
    const toolsets = [{ name: 'code', description: 'Code.', tools: [code] }];
    const { supervisor, model } = directing({}, { toolsets, limits: { maxSpawnDepth: 2 } });
    const tools = supervisor.session('chat').tools(delegates);

    for (const role of ['leaf', 'orchestrator']) {
      const input = { goal: role, role, toolsets: ['code', 'code_execution'] };
      await within(tools.call('delegate_task', input), role);
    }

    expect(toolsOf(model, 'leaf')).toEqual([]);
    expect(toolsOf(model, 'orchestrator')).toEqual(['delegate_task']);
  });

  it('shows the model toolsets and max_iterations (X21, C1)', () => {
    const { supervisor } = directing({});
    const [tool] = supervisor.session('chat').tools(delegates).definitions.anthropic;

    expect(Object.keys(tool?.input_schema['properties'] ?? {})).toEqual(
      expect.arrayContaining(['goal', 'context', 'toolsets', 'max_iterations', 'role', 'tasks']),
    );
  });

  it('answers at the top level with the end of its children, and leaves none running (X21, C9, C34)', async () => {
    const { supervisor } = directing({ a: [{ text: 'all of it' }] });
    const tools = supervisor.session('chat').tools(delegates);

    const result = await within(tools.call('delegate_task', { goal: 'a', toolsets: [] }), 'it');

    expect(envelopeIn(result).results).toMatchObject([
      { status: 'completed', summary: 'all of it' },
    ]);
    expect(supervisor.tree()).toEqual([]);
    expect(supervisor.session('chat').background()).toEqual([]);
  });
});

describe('a scope', () => {
  it('emits its variables and ends with the last: there is no complete_task, and no turn after it (X21, B15, B17)', async () => {
    const { model, create } = arrange([emits({ found: 'it' })]);
    const scope = await within(
      create({ outputs: { outputs: { found: 'What was found.' } } }),
      'it',
    );

    await within(scope.runNonInteractive(new ContextState()), 'the run');

    const offered = model.requests().map(({ tools }) => tools.map(({ name }) => name));
    expect(offered).toEqual([['self_emitvalue']]);
    expect(scope.output).toMatchObject({ emitted_vars: { found: 'it' }, terminate_reason: 'GOAL' });
  });
});

describe('the subagent manager', () => {
  it('has no tool that runs a graph of tasks, and four words for how an agent stands (X21, A23)', async () => {
    const all = { enabled: true, dynamicEnabled: true, boardEnabled: true, timeEnabled: false };
    const { supervisor, offered, manager, watch, create, send, call } = rig(
      { stuck: [{ hang: true }] },
      { config: all },
    );

    expect(offered()).toEqual([
      'create_subagent',
      'remove_subagent',
      'list_subagents',
      'manage_subagent_protection',
      'reset_subagent',
      'wait_for_subagent',
      'view_shared_context',
      'broadcast_shared_context',
    ]);
    await create('ada');
    await send('ada', 'stuck');
    const { taskId = '' } = await watch.next('turn_started');
    expect(manager.status('ada')).toBe('RUNNING');
    await within(supervisor.interrupt(taskId), 'the receipts');
    const [waited] = await call('wait_for_subagent', { subagent_name: 'ada' });
    expect(waited).toContain('failed');
    expect(manager.status('ada'), 'an interrupt has no word of its own').toBe('FAILED');
  });
});

describe('the agent family', () => {
  it('still has the base class of subagents (X21)', () => {
    expect(SubAgentBase.prototype).toBeInstanceOf(AgentBase);
  });
});
