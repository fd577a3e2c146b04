// Owns how an agent's start and its run events become public events: a total function. Decides nothing.
import type { Exit } from '../actor/exit.ts';
import { countLeftOut } from '../agent/compaction.ts';
import { omitUndefined } from '../base/omit-undefined.ts';
import type { EventSubject } from '../events/event-types.ts';
import type { EventBus } from '../events/events.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import { maxTouched } from '../tools/touched-files.ts';
import type { Agent, Run } from './state.ts';

/** An agent has begun, with its one task if it is for one, and with what it was asked for or without some of it. */
export function publishAgentStart(events: Pick<EventBus, 'emit'>, agent: Agent): void {
  const { spec, run } = agent;
  const payload = { name: spec.name, model: spec.modelId };
  events.emit('agent_started', run?.subject ?? agent.subject, payload);
  // A task begins once, however often it is tried, and in however many processes.
  if (run === null || run.task.earlier !== null || run.task.written.hasStarted) return;
  publishTaskStart(events, run);
  for (const warning of spec.rights.warnings) {
    events.emit('log', run.subject, { level: 'warn', message: `agent ${spec.name}: ${warning}` });
  }
}

export function publishTaskStart(events: Pick<EventBus, 'emit'>, { subject }: Run): void {
  events.emit('task_started', subject, {});
}

/** An agent has no thread any more: it was idle, or `lost` is how it lost its activation. */
export function publishPassivated(
  events: Pick<EventBus, 'emit'>,
  { subject }: Agent,
  lost: Exit | null,
): void {
  const failed = lost?.failure === undefined ? {} : { failure: lost.failure };
  events.emit('agent_passivated', subject, { reason: lost === null ? 'idle' : 'lost', ...failed });
}

/** Its run has touched more files than are listed. */
export function publishFilesLeftOut(events: Pick<EventBus, 'emit'>, { subject, spec }: Run): void {
  const message = `agent ${spec.name} touched more than ${maxTouched} files: the first are listed`;
  events.emit('log', subject, { level: 'warn', message });
}

export function publishRunEvent(
  events: Pick<EventBus, 'emit'>,
  subject: EventSubject,
  event: RunEvent,
  /** How long a call took; undefined for one that never began. */
  timed: (callId: string) => number | undefined,
): void {
  switch (event.type) {
    case 'turn_started':
      events.emit('turn_started', subject, { turn: event.turn });
      break;
    case 'model_delta':
      events.emit('model_delta', subject, { kind: event.delta.type, text: event.delta.text });
      break;
    case 'model_response':
      events.emit('turn_committed', subject, { turn: event.turn, part: 'model_response' });
      break;
    case 'tool_started': {
      const { turn, callId, name, where, inputPreview } = event;
      events.emit('tool_started', subject, { turn, callId, name, where, inputPreview });
      break;
    }
    case 'tool_progress': {
      const { callId, fraction } = event;
      const payload = event.note === undefined ? { fraction } : { fraction, note: event.note };
      events.emit('tool_progress', subject, { callId, ...payload });
      events.emit('task_progress', subject, payload);
      break;
    }
    case 'tool_completed': {
      const { callId, name, isError, resultPreview, failure } = event;
      const about = omitUndefined({ durationMs: timed(callId), failure });
      events.emit('tool_completed', subject, { callId, name, isError, resultPreview, ...about });
      break;
    }
    case 'tool_results':
      events.emit('turn_committed', subject, { turn: event.turn, part: 'tool_results' });
      break;
    case 'shortened': {
      const { maxResultChars } = event.shortening;
      const leftOut = countLeftOut(event.shortening);
      const message = `the model's window was full: ${leftOut} messages were left out, results cut to ${maxResultChars} characters`;
      events.emit('log', subject, { level: 'warn', message });
      break;
    }
    case 'hook_failed': {
      const { failure } = event;
      events.emit('log', subject, { level: 'error', message: failure.message, failure });
      break;
    }
    case 'model_broke_off':
    case 'touched':
    case 'prompted':
    case 'steered':
    case 'paused':
    case 'went_on':
    case 'emitted':
    case 'run_parked':
    case 'park_refused':
    case 'run_ended':
      break;
  }
}
