// Shared arrangements of the scope tests: a session to run in, and scopes of few words. Starts no test.
import { z } from 'zod';
import {
  ContextState,
  type ModelConfig,
  type OutputConfig,
  type PromptConfig,
  type RunConfig,
  SubAgentScope,
  scopeRuntime,
  type ToolConfig,
} from '#src/dialects/scope/index.js';
import { defineTool, type SupervisorOptions } from '#src/index.js';
import type { ScriptStep } from '#src/testing.js';
import { supervise, within } from '../../supervisor/support.ts';

export const nothing = z.object({});
export const lookup = defineTool({
  name: 'lookup',
  description: 'Looks something up.',
  input: z.object({ id: z.string() }),
  run: ({ id }) => `found ${id}`,
});

type Parts = {
  readonly prompt?: PromptConfig;
  readonly model?: Partial<ModelConfig>;
  readonly run?: RunConfig;
  readonly tools?: ToolConfig;
  readonly outputs?: OutputConfig;
};

/** A supervisor whose scopes named `scope` play these steps. */
export function arrange(steps: readonly ScriptStep[], options: Partial<SupervisorOptions> = {}) {
  const started = supervise({ agents: { scope: steps } }, options);
  const { supervisor } = started;
  const session = supervisor.session('chat');
  const create = ({ prompt, model, run, tools, outputs }: Parts = {}) =>
    SubAgentScope.create(
      'scope',
      scopeRuntime(supervisor.session('chat')),
      prompt ?? { systemPrompt: 'Do it.' },
      { model: started.model, ...model },
      run ?? { max_time_minutes: 5 },
      tools,
      outputs,
    );
  return { ...started, session, runtime: scopeRuntime(session), create };
}

/** Runs a scope to its end. */
export function run(scope: SubAgentScope, context = new ContextState()): Promise<void> {
  return within(scope.runNonInteractive(context), 'the run');
}

/** A step that emits these variables. */
export function emits(values: Readonly<Record<string, string>>): ScriptStep {
  return {
    toolCalls: Object.entries(values).map(([name, value]) => ({
      name: 'self_emitvalue',
      input: { emit_variable_name: name, emit_variable_value: value },
    })),
  };
}
