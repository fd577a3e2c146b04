// Owns tools that are generators: what they yield is progress, what they return is the result, else what came last (D24).
import { TroupeError } from '../base/failures.ts';
import { isRecord } from '../base/is-record.ts';
import { nextTurn } from '../base/next-turn.ts';
import type { ToolContext } from './tool.ts';

type Steps = {
  next(): unknown;
  return?(): unknown;
};

/** What a tool's code came to; a generator is run to its end, or left at an interrupt. One that returns nothing came to its last value. */
export async function ended(output: unknown, context: ToolContext): Promise<unknown> {
  const value = await output;
  if (!isGenerator(value)) return value;
  let fraction = 0;
  let last: unknown;
  for (;;) {
    const step = await value.next();
    if (!isRecord(step)) throw new TroupeError('tool_failed', 'its generator broke off');
    const { done, value: came } = step;
    if (came !== undefined) last = came;
    if (done === true) return last;
    try {
      fraction = report(step['value'], fraction, context);
    } catch (thrown) {
      // A wrong report fails the call; what the generator keeps open is closed first.
      await value.return?.();
      throw thrown;
    }
    // A generator that never waits would let nothing else happen, not even the interrupt that ends it.
    await nextTurn();
    if (!context.interrupted()) continue;
    await value.return?.();
    throw context.signal.reason ?? new TroupeError('interrupted', 'the run was interrupted');
  }
}

function isGenerator(value: unknown): value is Steps {
  if (typeof value !== 'object' || value === null) return false;
  const isIterable = Symbol.asyncIterator in value || Symbol.iterator in value;
  return isIterable && 'next' in value && typeof value.next === 'function';
}

/** A number is a fraction, text a note, an object of both is both; anything else is reported as JSON. */
function report(step: unknown, before: number, { progress, heartbeat }: ToolContext): number {
  if (step === undefined) {
    heartbeat();
    return before;
  }
  if (typeof step === 'number') {
    progress(step);
    return step;
  }
  if (isRecord(step) && typeof step['fraction'] === 'number') {
    const { fraction, note } = step;
    progress(Number(fraction), typeof note === 'string' ? note : undefined);
    return Number(fraction);
  }
  progress(before, typeof step === 'string' ? step : JSON.stringify(step));
  return before;
}
