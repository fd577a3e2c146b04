// Owns what is reported of agents that go on with the next model of their list: an event each, and a line once for people.
import type { EventSubject } from '../events/event-types.ts';
import type { EventBus } from '../events/events.ts';
import type { Fallback } from '../protocol/model-fallback.ts';

/** Models of tasks may have any number of names: beyond this, what was reported is forgotten. */
const maxReported = 1_000;

export class FallbackReports {
  readonly #events: EventBus;
  readonly #subjectOf: (agentId: string) => EventSubject;
  readonly #reported = new Set<string>();

  constructor(events: EventBus, subjectOf: (agentId: string) => EventSubject) {
    this.#events = events;
    this.#subjectOf = subjectOf;
  }

  report({ agent, ...fallback }: Fallback): void {
    const { from, to, failure } = fallback;
    this.#events.emit('model_fallback', this.#subjectOf(agent.id), fallback);
    const change = `${from} ${to}`;
    // A job may have a thousand of them.
    if (this.#reported.has(change)) return;
    if (this.#reported.size === maxReported) this.#reported.clear();
    this.#reported.add(change);
    const message = `${from} failed, ${to} is asked instead: ${failure.message}`;
    this.#events.emit('log', {}, { level: 'warn', message });
  }
}
