// Owns the failure of a start: what was not done in time, and the modules that were being loaded. Pure.
import { type Failure, failure } from '../base/failures.ts';
import { messageAt, stackIn } from '../base/stack.ts';
import type { ActivationOptions } from './activation-options.ts';

type Launch = Pick<ActivationOptions, 'target' | 'moduleSet'>;

/** An agent's start does nothing but load its modules: the failure names them. */
export function startFailure({ target, moduleSet }: Launch, cause: Failure): Failure {
  const isNamed = cause.code === 'tool_module_failed' || cause.code === 'killed';
  if (target.type !== 'agent' || moduleSet === '' || isNamed) return cause;
  const text = `${moduleSet} could not be loaded: ${messageAt(cause)}`;
  return failure('tool_module_failed', text, { detail: detailOf(cause) });
}

/** It has its thread and neither starts nor fails. */
export function startOverdue(path: string, launch: Launch, timeoutMs: number): Failure {
  const { target, moduleSet } = launch;
  return target.type === 'agent'
    ? failure('tool_module_failed', `${moduleSet} did not load within ${timeoutMs} ms`)
    : failure('spawn_failed', `${path} (${moduleSet}) did not start within ${timeoutMs} ms`);
}

/** Puts the stack where every failure has it. */
function detailOf(cause: Failure): Readonly<Record<string, unknown>> {
  const stack = stackIn(cause);
  return stack === null ? { cause } : { cause: { ...cause, detail: undefined }, stack };
}
