// Proves that a run is plain data at every moment: serialised and revived after every input it goes on as if it had not been.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HookAnswer } from '#src/agent/hooks.js';
import { advance } from '#src/agent/run/advance.js';
import type { RunEffect, RunInput } from '#src/agent/run/run-effects.js';
import { newRun, type RunRules, type RunState } from '#src/agent/run/run-state.js';
import { failure } from '#src/base/failures.js';
import type { AssistantBlock, StopReason } from '#src/protocol/history.js';
import type { HookName, PlannedHooks } from '#src/protocol/hooks.js';
import type { ModelResponse } from '#src/protocol/model-messages.js';

const toolNames = ['read', 'write', 'emit', 'answer', 'unknown'];
const tools = toolNames.slice(0, 4).map((name, at) => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  where: at % 2 === 0 ? ('thread' as const) : ('host' as const),
})) as unknown as RunRules['tools'];

/** Chance as numbers that are drawn one after the other: the same numbers, the same history. */
class Dice {
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
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return { content, stopReason, usage, isEstimated: true, model: 'm' };
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

/** What answers an effect; null for one that asks nothing. */
function answerTo(dice: Dice, effect: RunEffect): RunInput | null {
  switch (effect.type) {
    case 'ask_model': {
      const streamed = dice.roll(2) === 0 ? '' : 'streamed';
      if (dice.roll(8) > 0) {
        return { type: 'model_answered', response: response(dice, effect.turn), streamed };
      }
      const code = modelFailures[dice.roll(modelFailures.length)] ?? 'model_failed';
      return { type: 'model_failed', error: failure(code, code), streamed };
    }
    case 'call_hook': {
      const { place, call } = effect;
      if (dice.roll(12) === 0) {
        return { type: 'hook_failed', place, error: failure('hook_failed', call.name) };
      }
      return { type: 'hook_answered', place, answer: hookAnswer(dice, call.name) };
    }
    case 'call_tool': {
      const isError = dice.roll(4) === 0;
      const result = isError
        ? { content: 'broke', isError, failure: failure('tool_failed', 'broke') }
        : { content: `result ${effect.call.id}`, isError };
      return { type: 'tool_ended', place: effect.place, result };
    }
    case 'publish':
    case 'end':
      return null;
  }
}

/** What comes from outside, at any time. */
function control(dice: Dice, id: number): RunInput | null {
  switch (dice.roll(24)) {
    case 0:
      return { type: 'steer', steer: { id: `s${id}`, text: `steer ${id}` } };
    case 1:
      return { type: 'retract', id: `s${id - 1}` };
    case 2:
      return { type: 'pause' };
    case 3:
    case 4:
      return { type: 'resume' };
    case 5:
      return { type: 'emitted', name: 'found', value: 'v' };
    case 6:
      return { type: 'interrupted', error: failure('interrupted', 'enough') };
    default:
      return null;
  }
}

type History = {
  readonly effects: readonly RunEffect[];
  /** Those that it wanted after it was interrupted. */
  readonly late: readonly RunEffect[];
  readonly run: RunState;
};

/** Plays a run to its end; answers come in any order. `between` is what becomes of its state after each input. */
function play(
  rules: RunRules,
  numbers: readonly number[],
  between: (run: RunState) => RunState,
): History {
  const dice = new Dice(numbers);
  const effects: RunEffect[] = [];
  const late: RunEffect[] = [];
  const open: RunInput[] = [];
  let run = newRun(
    rules,
    [],
    { runId: 't1', messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }] },
    { steers: [], isPaused: dice.roll(6) === 0 },
  );
  const take = (input: RunInput): void => {
    const wasInterrupted = run.interrupted !== null;
    const wanted = advance(rules, run, input);
    effects.push(...structuredClone(wanted));
    if (wasInterrupted) late.push(...wanted);
    run = between(run);
    for (const effect of wanted) {
      const answer = answerTo(dice, effect);
      if (answer !== null) open.push(answer);
    }
  };
  take({ type: 'begin' });
  for (let step = 0; run.step.type !== 'ended'; step += 1) {
    if (step > 2_000) throw new Error(`the run does not end: it is ${run.step.type}`);
    const given = control(dice, step);
    if (given !== null) take(given);
    const [answer] = open.splice(dice.roll(Math.max(1, open.length)), 1);
    if (answer !== undefined) take(answer);
    else if (run.step.type === 'paused') take({ type: 'resume' });
  }
  return { effects, late, run };
}

const hookNames: readonly HookName[] = [
  'beforeRun',
  'beforeTurn',
  'afterTurn',
  'beforeTool',
  'afterTool',
  'afterRun',
];
const someHooks = fc.array(fc.record<PlannedHooks>({ names: fc.subarray([...hookNames]) }), {
  maxLength: 2,
});
const emitting = {
  variables: { found: 'what was found' },
  toolNames: { tool: 'emit', name: 'name', value: 'value' },
};
const someRules: fc.Arbitrary<RunRules> = fc.record({
  tools: fc.constant(tools),
  toolSettings: fc.record({ repetitionNotice: fc.boolean() }),
  maxTurns: fc.integer({ min: 1, max: 6 }),
  summaryTurn: fc.boolean(),
  parallelToolCalls: fc.boolean(),
  hooks: someHooks,
  finishTools: fc.constantFrom([], ['write']),
});
const withRequired = fc
  .tuple(someRules, fc.boolean(), fc.boolean())
  .map(([rules, hasOutputs, hasAnswer]): RunRules => {
    const outputs = hasOutputs ? { outputs: emitting } : {};
    const answer = hasAnswer ? { answer: { tool: 'answer', maxCorrections: 2 } } : {};
    return { ...rules, ...outputs, ...answer };
  });
const numbers = fc.array(fc.nat({ max: 10_000 }), { minLength: 40, maxLength: 80 });

describe('a run', () => {
  it('is the same when it is serialised and revived after every input (S9, O1)', () => {
    fc.assert(
      fc.property(withRequired, numbers, (rules, drawn) => {
        const straight = play(rules, drawn, (run) => run);
        const revived = play(rules, drawn, (run) => structuredClone(run));
        const asText = play(rules, drawn, (run) => JSON.parse(JSON.stringify(run)));

        expect(revived).toEqual(straight);
        // JSON leaves fields out that are undefined: toEqual takes those for equal.
        expect(asText).toEqual(straight);
      }),
      { numRuns: 1_000 },
    );
  });

  it('ends once, and gives every call that began one result (O2, B27, E9)', () => {
    fc.assert(
      fc.property(withRequired, numbers, (rules, drawn) => {
        const { effects, run } = play(rules, drawn, (each) => each);

        expect(effects.filter(({ type }) => type === 'end')).toHaveLength(1);
        expect(effects.at(-1)?.type).toBe('end');
        const asked = run.messages.flatMap(({ role, content }) =>
          role === 'assistant'
            ? content.flatMap((each) => (each.type === 'tool_use' ? [each.id] : []))
            : [],
        );
        const results = run.messages.flatMap(({ role, content }) =>
          role === 'user'
            ? content.flatMap((each) => (each.type === 'tool_result' ? [each.tool_use_id] : []))
            : [],
        );
        const answered = asked.filter((id) => results.includes(id));
        expect(results).toEqual(answered);
        const published = effects.flatMap((each) => (each.type === 'publish' ? [each.event] : []));
        const started = published.flatMap((each) =>
          each.type === 'tool_started' ? [each.callId] : [],
        );
        const completed = published.flatMap((each) =>
          each.type === 'tool_completed' ? [each.callId] : [],
        );
        expect(new Set(completed).size).toBe(completed.length);
        expect(started.filter((id) => !completed.includes(id))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('asks its model nothing and calls no tool once it is interrupted (S8)', () => {
    let interrupted = 0;
    fc.assert(
      fc.property(withRequired, numbers, (rules, drawn) => {
        const { late, run } = play(rules, drawn, (each) => each);

        if (run.interrupted !== null) interrupted += 1;
        expect(late.filter(({ type }) => type === 'ask_model' || type === 'call_tool')).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
    expect(interrupted).toBeGreaterThan(50);
  });
});
