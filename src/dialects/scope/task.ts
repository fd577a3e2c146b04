// Owns how a scope becomes a task: its prompt rendered, its limits and names mapped. Runs nothing.
import type { AgentDefinition, ModelRef } from '../../agent/definition.ts';
import { TroupeError } from '../../base/failures.ts';
import type { Task } from '../../tasks/task.ts';
import type { PromptConfig, ScopeConfig } from './config.ts';
import type { ContextState } from './context-state.ts';
import { renderTemplate } from './template.ts';

/** The first user message (B18). */
const kickOff = 'Get Started!';
/** What the model receives when all calls of a turn failed, and none gives a reason (B28). */
const allFailedText = 'All tool calls of this turn failed, and none says why. Try another way.';
/** Model APIs take no dot in a tool's name: the source's `self.emitvalue` is offered with an underscore, and known by both names (B17). */
const emitToolNames = {
  tool: 'self_emitvalue',
  name: 'emit_variable_name',
  value: 'emit_variable_value',
} as const;
const noTurnLimit = Number.MAX_SAFE_INTEGER;

/** Throws `invalid_options` for a prompt that cannot be made (B3, B9). Writes the model's name to the context (B14). */
export function taskOf(
  { prompt, model, run, tools, outputs }: ScopeConfig,
  context: ContextState,
  around: {
    readonly name: string;
    readonly promptIdPrefix: string;
    readonly environment: string | undefined;
  },
): Task {
  const { name, promptIdPrefix, environment } = around;
  const totalTimeoutMs = run.max_time_minutes * 60_000;
  const agent: AgentDefinition = {
    name,
    ...promptOf(prompt, context),
    model: model.model,
    ...(model.temp === undefined ? {} : { temperature: model.temp }),
    ...(model.top_p === undefined ? {} : { topP: model.top_p }),
    // A scope without tools has none; an agent that names none would have them all.
    tools: tools?.tools ?? [],
    maxTurns: run.max_turns ?? noTurnLimit,
    totalTimeoutMs,
    // Its one limit on time is the whole run's.
    idleTimeoutMs: totalTimeoutMs,
    ...(outputs === undefined || Object.keys(outputs.outputs).length === 0
      ? {}
      : { outputs: outputs.outputs }),
    // A scope is flat, whatever tools it is given (X6).
    role: 'leaf',
    loop: { emitToolNames, allFailedText, promptIdPrefix },
    promptParts: {
      nonInteractive: prompt.systemPrompt !== undefined,
      ...(environment === undefined ? {} : { environment }),
    },
  };
  context.set('model_name', nameOf(model.model));
  return { goal: kickOff, agent };
}

function promptOf(
  { systemPrompt, initialMessages }: PromptConfig,
  context: ContextState,
): Pick<AgentDefinition, 'prompt' | 'initialMessages'> {
  if ((systemPrompt === undefined) === (initialMessages === undefined)) {
    const which = systemPrompt === undefined ? 'neither' : 'both';
    throw new TroupeError(
      'invalid_options',
      `a scope has one of systemPrompt and initialMessages, this one has ${which}`,
    );
  }
  if (systemPrompt !== undefined) return { prompt: renderTemplate(systemPrompt, context) };
  return { prompt: '', initialMessages: initialMessages ?? [] };
}

/** Of a list it is the first. */
function nameOf(model: ModelRef): string {
  if (typeof model === 'string') return model;
  if (Array.isArray(model)) return model.length === 0 ? '' : nameOf(model[0]);
  return 'id' in model && typeof model.id === 'string' ? model.id : '';
}
