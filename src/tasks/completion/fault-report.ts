// Reports a run that failed through a mistake in the program's code: its outcome may go unread.

import type { Outcome } from '../../base/outcome.ts';
import { stackIn } from '../../base/stack.ts';
import type { EventSubject } from '../../events/event-types.ts';
import type { EventBus } from '../../events/events.ts';

/** Emits a `log` event that a hook, a model, a module or a tool's stray code failed a run, and where. */
export function reportFault(events: EventBus, subject: EventSubject, outcome: Outcome): void {
  const { error: failure } = outcome;
  if (failure === undefined || stackIn(failure) === null) return;
  // An `afterRun` hook fails after the run has ended, and its failure is reported already.
  if (failure.detail?.['hook'] === 'afterRun') return;
  events.emit('log', subject, { level: 'error', message: messageOf(outcome), failure });
}

function messageOf({ error, model, agent }: Outcome): string {
  switch (error?.code) {
    case 'hook_failed':
    case 'tool_module_failed':
      return error.message;
    case 'model_failed':
      return `the model ${model} failed`;
    default:
      return `agent ${agent.name} crashed`;
  }
}
