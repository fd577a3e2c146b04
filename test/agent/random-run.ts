// Owns what random runs are made of: their rules, and what answers each effect by numbers that are drawn. Starts no test.
import fc from 'fast-check';
import type { RunEffect, RunInput } from '#src/agent/run/run-effects.js';
import type { RunRules } from '#src/agent/run/run-state.js';
import { failure } from '#src/base/failures.js';
import type { Approval } from '#src/protocol/approval.js';
import type { AssistantBlock, StopReason } from '#src/protocol/history.js';
import type { HookAnswer, HookName, PlannedHooks } from '#src/protocol/hooks.js';
import type { ModelResponse } from '#src/protocol/model-messages.js';

const toolNames = ['read', 'write', 'emit', 'answer', 'unknown'];
const tools = toolNames.slice(0, 4).map((name, at) => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  where: at % 2 === 0 ? ('thread' as const) : ('host' as const),
})) as unknown as RunRules['tools'];

/** Chance as numbers that are drawn one after the other: the same numbers, the same history. */
export class Dice {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  roll(sides: number): number {
    this.#at += 1;
    return (this.#numbers[this.#at % this.#numbers.length] ?? 0) % sides;
  }
}

const stopReasons: readonly StopReason[] = [
  'end_turn',
  'tool_use',
  'tool_use',
  'tool_use',
  'pause_turn',
  'max_tokens',
  'refusal',
  'model_context_window_exceeded',
];

function response(dice: Dice, turn: number): ModelResponse {
  const calls = Array.from({ length: dice.roll(4) }, (_, at): AssistantBlock => {
    const name = toolNames[dice.roll(toolNames.length)] ?? 'read';
    return { type: 'tool_use', id: `c${turn}-${at}`, name, input: { at } };
  });
  const texts: readonly AssistantBlock[] = [
    { type: 'text', text: `turn ${turn}` },
    { type: 'text', text: '' },
    { type: 'thinking', thinking: 'hm', signature: 's' },
  ];
  const content = [texts[dice.roll(texts.length)], ...calls].flatMap((each) => each ?? []);
  const stopReason = stopReasons[dice.roll(stopReasons.length)] ?? 'end_turn';
  const usage = { inputTokens: turn, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const answer = { content, stopReason, usage, isEstimated: true, model: 'm' };
  return stopReason === 'refusal' ? { ...answer, refusalCategory: 'a category' } : answer;
}

const modelFailures = ['context_window_exceeded', 'model_failed', 'budget_tokens'] as const;

function hookAnswer(dice: Dice, name: HookName): HookAnswer {
  if (dice.roll(3) > 0) return null;
  switch (name) {
    case 'beforeRun':
      return { deny: 'no' };
    case 'beforeTurn':
      return { append: 'more' };
    case 'beforeTool':
      return dice.roll(2) === 0 ? { deny: 'no' } : { input: { changed: true } };
    case 'afterTool':
      return { result: 'changed' };
    default:
      return null;
  }
}

/** A result that may be long enough to be cut. */
function resultOf(dice: Dice, id: string): string {
  return `result ${id}${dice.roll(3) === 0 ? 'x'.repeat(3_000) : ''}`;
}

/** What answers an effect; null for one that asks nothing. */
function approvalOf(dice: Dice): Approval {
  switch (dice.roll(3)) {
    case 0:
      return { status: 'denied', failure: failure('approval_denied', 'no') };
    case 1:
      return { status: 'edited', input: {} };
    default:
      return { status: 'allowed' };
  }
}

export function answerTo(dice: Dice, effect: RunEffect): RunInput | null {
  switch (effect.type) {
    case 'ask_model': {
      if (dice.roll(8) > 0) {
        return { type: 'model_answered', response: response(dice, effect.turn) };
      }
      const code = modelFailures[dice.roll(modelFailures.length)] ?? 'model_failed';
      const streamed = dice.roll(2) === 0 ? '' : 'streamed';
      return { type: 'model_failed', error: failure(code, code), streamed };
    }
    case 'call_hook': {
      const { place, call } = effect;
      if (dice.roll(12) === 0) {
        return { type: 'hook_failed', place, error: failure('hook_failed', call.name) };
      }
      return { type: 'hook_answered', place, answer: hookAnswer(dice, call.name) };
    }
    case 'ask_approval': {
      const { place } = effect;
      return { type: 'approval_answered', place, approval: approvalOf(dice) };
    }
    case 'call_tool': {
      const { place, where, approval } = effect;
      if (where === 'thread' && approval === null && dice.roll(4) === 0) {
        return { type: 'approval_needed', place };
      }
      const isError = dice.roll(4) === 0;
      const result = isError
        ? { content: 'broke', isError, failure: failure('tool_failed', 'broke') }
        : { content: resultOf(dice, effect.call.id), isError };
      return { type: 'tool_ended', place, result };
    }
    case 'publish':
    case 'end':
      return null;
  }
}

const hookNames: readonly HookName[] = [
  'beforeRun',
  'beforeTurn',
  'afterTurn',
  'beforeTool',
  'afterTool',
  'afterRun',
];
const someNames = fc.subarray([...hookNames]);
/** Functions of the service, or a module in the thread. */
const someHooks = fc.array(
  fc.oneof(
    fc.record<PlannedHooks>({ names: someNames }),
    fc.record<PlannedHooks>({ names: someNames, module: fc.constant('file:///hooks.js') }),
  ),
  { maxLength: 2 },
);
const emitting = {
  variables: { found: 'what was found' },
  toolNames: { tool: 'emit', name: 'name', value: 'value' },
};
const plainRules: fc.Arbitrary<RunRules> = fc.record({
  tools: fc.constant(tools),
  toolSettings: fc.record({ repetitionNotice: fc.boolean() }),
  maxTurns: fc.integer({ min: 1, max: 6 }),
  summaryTurn: fc.boolean(),
  parallelToolCalls: fc.boolean(),
  hooks: someHooks,
  finishTools: fc.constantFrom([], ['write']),
});
/** Rules of runs, with required outputs and without. */
export const someRules = fc
  .tuple(plainRules, fc.boolean(), fc.boolean())
  .map(([rules, hasOutputs, hasAnswer]): RunRules => {
    const outputs = hasOutputs ? { outputs: emitting } : {};
    const answer = hasAnswer ? { answer: { tool: 'answer', maxCorrections: 2 } } : {};
    return { ...rules, ...outputs, ...answer };
  });
