// Owns the scripted model: plays the steps of a script on the host and records what it was asked. A test double.
import { type Clock, systemClock } from '../base/clock.ts';
import { TroupeError } from '../base/failures.ts';
import { abortablePromise, unlessAborted } from '../base/with-abort.ts';
import type { AssistantBlock } from '../protocol/history.ts';
import type { ModelResponse } from '../protocol/model-messages.ts';
import type { Model, ModelCall, ModelRequest } from './model.ts';
import { providerError } from './providers/provider-failure.ts';
import { checkScript, type Script, type ScriptStep } from './script.ts';
import { estimateTokens } from './token-estimate.ts';

/** A model that plays a script. */
export interface ScriptedModel extends Model {
  /** What was asked so far, in order; by reference, at no cost. */
  requests(): readonly ModelRequest[];
  /** Throws `script_unconsumed` when a step was never played by any run. */
  assertConsumed(): void;
}

/**
 * Makes a model that answers from `script`: the first turn of a run starts at the first step of its agent's list.
 * A call past the end rejects `script_exhausted`; a bad script throws `invalid_options` at once.
 *
 * @example
 * ```js
 * import { createSupervisor, defineTool } from 'troupe';
 * import { scripted } from 'troupe/testing';
 * import { z } from 'zod';
 *
 * const add = defineTool({
 *   name: 'add',
 *   description: 'Adds two numbers.',
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   run: ({ a, b }) => a + b,
 * });
 * const model = scripted({
 *   default: [{ toolCalls: [{ name: 'add', input: { a: 40, b: 2 } }] }, { text: 'It is 42.' }],
 * });
 * const supervisor = createSupervisor({ model, tools: [add] });
 * try {
 *   const outcome = await supervisor.delegate({ goal: 'What is 40 + 2?' });
 *   console.log(outcome.status, outcome.text); // → completed It is 42.
 *   console.log(model.requests()[1].messages.at(-1).content[0].content); // → 42
 *   model.assertConsumed();
 * } finally {
 *   await supervisor.close();
 * }
 * ```
 */
export function scripted(script: Script): ScriptedModel {
  return new Player(script);
}

/** A list of steps, and how far any run got in it. */
type Track = {
  readonly name: string | null;
  readonly steps: readonly PreparedStep[];
  furthest: number;
};

type PreparedStep = {
  readonly step: ScriptStep;
  readonly text: string;
  /** The answer, when it is the same for every caller: only made-up tool call ids differ. */
  readonly response: ModelResponse | null;
};

/**
 * Where one agent is in its list; `calls` numbers its tool calls over all its runs.
 * `failedFirst` is the length of the history whose first turn just failed: the same again is its retry, not a new run.
 */
type Cursor = { readonly track: Track; next: number; calls: number; failedFirst: number | null };

class Player implements ScriptedModel {
  readonly id = 'scripted';
  readonly price = 0;
  /** What the script says is what its agent gets. */
  readonly retry = false;
  readonly #tracks = new Map<string | null, Track>();
  readonly #cursors = new Map<string, Cursor>();
  readonly #requests: ModelRequest[] = [];
  #clock: Clock = systemClock;

  constructor(script: Script) {
    for (const [name, steps] of checkScript(script)) {
      this.#tracks.set(name, { name, steps: steps.map(prepare), furthest: 0 });
    }
  }

  useClock(clock: Clock): void {
    this.#clock = clock;
  }

  requests(): readonly ModelRequest[] {
    return this.#requests;
  }

  respond(request: ModelRequest, call: ModelCall): Promise<ModelResponse> {
    this.#requests.push(request);
    const cursor = this.#cursorOf(request);
    if (cursor === null) {
      return Promise.reject(exhausted(`no steps for agent "${request.agent.name}" and no default`));
    }
    const { track } = cursor;
    const prepared = track.steps[cursor.next];
    if (prepared === undefined) {
      return Promise.reject(
        exhausted(`${titleOf(track)} has ${track.steps.length} steps, one more was asked for`),
      );
    }
    track.furthest = Math.max(track.furthest, cursor.next + 1);
    if (prepared.step.repeat !== true) cursor.next += 1;
    const failsFirst = request.turn === 1 && prepared.step.throw !== undefined;
    cursor.failedFirst = failsFirst ? request.messages.length : null;
    const { step } = prepared;
    if (isInstant(step)) return Promise.resolve(prepared.response ?? answer(prepared, cursor));
    return this.#play(prepared, cursor, call);
  }

  assertConsumed(): void {
    const left = [...this.#tracks.values()].filter((track) => track.furthest < track.steps.length);
    if (left.length === 0) return;
    const named = left.map(
      (track) => `${titleOf(track)} stopped at ${track.furthest} of ${track.steps.length}`,
    );
    throw new TroupeError('script_unconsumed', `steps nobody took: ${named.join('; ')}`);
  }

  #cursorOf(request: ModelRequest): Cursor | null {
    const { id, name } = request.agent;
    const track = this.#tracks.get(name) ?? this.#tracks.get(null);
    if (track === undefined) return null;
    const known = this.#cursors.get(id);
    // Another supervisor may use the same id for another agent: only the track distinguishes them.
    if (known?.track === track) {
      const isRetry = known.failedFirst === request.messages.length;
      if (request.turn === 1 && !isRetry) known.next = 0;
      return known;
    }
    const cursor = { track, next: 0, calls: 0, failedFirst: null };
    this.#cursors.set(id, cursor);
    return cursor;
  }

  async #play(prepared: PreparedStep, cursor: Cursor, call: ModelCall): Promise<ModelResponse> {
    const { step, text } = prepared;
    await this.#wait(step.delayMs ?? 0, call.signal);
    for (const chunk of step.chunks ?? []) call.onDelta({ type: 'text', text: chunk });
    if (step.throw !== undefined) throw providerError(step.throw);
    if (step.hang === true) {
      if (step.chunks === undefined && text !== '') call.onDelta({ type: 'text', text });
      return await unlessAborted(call.signal, new Promise<never>(() => {}), abortError);
    }
    return prepared.response ?? answer(prepared, cursor);
  }

  #wait(delayMs: number, signal: AbortSignal): Promise<void> {
    if (delayMs === 0 && !signal.aborted) return Promise.resolve();
    return abortablePromise(signal, (resolve) => this.#clock.after(delayMs, resolve), abortError);
  }
}

function prepare(step: ScriptStep): PreparedStep {
  const text = step.text ?? step.chunks?.join('') ?? '';
  const hasOwnIds = (step.toolCalls ?? []).every((call) => call.id !== undefined);
  const bare = { step, text, response: null };
  return hasOwnIds ? { ...bare, response: answer(bare, { calls: 0 }) } : bare;
}

function isInstant(step: ScriptStep): boolean {
  const { delayMs = 0, chunks, hang } = step;
  return delayMs === 0 && chunks === undefined && hang === undefined && step.throw === undefined;
}

function answer(prepared: PreparedStep, cursor: { calls: number }): ModelResponse {
  const { step, text } = prepared;
  const content: AssistantBlock[] = [];
  if (step.thinking !== undefined) {
    content.push({ type: 'thinking', thinking: step.thinking, signature: 'scripted' });
  }
  if (text !== '') content.push({ type: 'text', text });
  for (const { id, name, input } of step.toolCalls ?? []) {
    cursor.calls += 1;
    content.push({ type: 'tool_use', id: id ?? `call_${cursor.calls}`, name, input });
  }
  const asksTools = (step.toolCalls?.length ?? 0) > 0;
  return {
    content,
    stopReason: step.stopReason ?? (asksTools ? 'tool_use' : 'end_turn'),
    usage: {
      inputTokens: 0,
      outputTokens: estimateTokens(text.length + (step.thinking?.length ?? 0)),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      ...step.usage,
    },
    isEstimated: step.usage === undefined,
    model: 'scripted',
  };
}

function titleOf(track: Track): string {
  return track.name === null ? 'the default list' : `the list of "${track.name}"`;
}

function exhausted(message: string): TroupeError {
  return new TroupeError('script_exhausted', message);
}

function abortError(): TroupeError {
  return new TroupeError('aborted', 'the model call was aborted');
}
