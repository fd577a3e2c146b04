// Checks where a list of models may stand: supervisor, agent, task, child, a tool's options; and how a wrong one is refused.
import { describe, expect, it } from 'vitest';
import { taskTool } from '#src/dialects/claude-code/index.js';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import { createSupervisor, type Model, type SupervisorOptions } from '#src/index.js';
import { scripted } from '#src/testing.js';
import { watched, within } from './support.ts';

const apiKey = 'sk-test-fallbacks';
const quiet = { logger: false, logDirectory: false, modelRetry: { attempts: 1 } } as const;
const bad: Model = {
  id: 'bad',
  price: 0,
  async respond() {
    throw Object.assign(new Error('overloaded'), { status: 529 });
  },
};

function arrange(model: SupervisorOptions['model'], options: Partial<SupervisorOptions> = {}) {
  return watched(createSupervisor({ ...quiet, model, ...options }));
}

describe('a list of models', () => {
  it('of a definition or a task is its own; left out, it is the supervisor’s', async () => {
    const ids: string[] = [];
    const named = (id: string): Model => ({
      id,
      async respond({ agent }) {
        ids.push(`${agent.name} ${id}`);
        return { content: [{ type: 'text', text: id }] };
      },
    });

    const agents = [{ name: 'writer', model: [bad, named('of the definition')] }];
    const { supervisor } = arrange([bad, named('of the supervisor')], { agents });

    const texts = [
      await supervisor.delegate({ goal: 'a', name: 'plain' }),
      await supervisor.delegate({ goal: 'a', agent: 'writer' }),
      await supervisor.delegate({ goal: 'a', agent: 'writer', model: [bad, named('of the task')] }),
    ].map(({ text }) => text);

    expect(texts).toEqual(['of the supervisor', 'of the definition', 'of the task']);
    await supervisor.close();
  });

  it('of a caller is asked by its child too, which begins with the first again', async () => {
    const call = { name: 'task', input: { prompt: 'Go on.' } };
    const good = scripted({
      agents: { root: [{ toolCalls: [call] }, { text: 'done' }], task: [{ text: 'child done' }] },
    });
    const agents = [{ name: 'root', tools: ['task'] }];
    const { supervisor, watch } = arrange([bad, good], { tools: [taskTool()], agents });

    const outcome = await within(
      supervisor.delegate({ goal: 'Go.', agent: 'root' }),
      'the outcome',
    );

    expect(outcome).toMatchObject({ status: 'completed', text: 'done' });
    expect(watch.of('model_fallback').map(({ path }) => path)).toEqual([
      '/a1',
      expect.stringMatching(/^\/a1\/./),
    ]);
    await supervisor.close();
  });

  it('of a tool that delegates is its children’s, in the toolbox of a loop of the program', async () => {
    const good = scripted({ default: [{ text: 'child done' }] });
    const { supervisor, watch } = arrange('offline');
    const box = supervisor
      .session('chat')
      .tools(delegateTaskTool({ model: [bad, good], toolsets: [] }));

    const { content } = await within(box.call('delegate_task', { goal: 'Go.' }), 'the result');

    expect(JSON.stringify(content)).toContain('child done');
    expect(watch.of('model_fallback')).toMatchObject([{ from: 'bad', to: 'scripted' }]);
    await supervisor.close();
  });

  it.each<[SupervisorOptions['model'], string, string]>([
    [[], 'invalid_options', 'model is []: expected at least one model'],
    [['offline', 'gpt-5'], 'model_unknown', 'model.1: no such model: "gpt-5"'],
    [['offline', { model: '', apiKey }], 'invalid_options', 'model.1.model'],
    [['offline', 'openai:gpt-5'], 'model_key_missing', 'model.1:'],
    [['offline', ['offline']] as never, 'model_unknown', 'model.1'],
  ])('that is wrong is refused before anything starts, by its place: %j', (model, code, why) => {
    const create = () => createSupervisor({ ...quiet, model });

    expect(create).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(why) }),
    );
  });
});
