// Owns which stream an event goes to: one listener for all streams of a supervisor, whatever their number.
import { omitUndefined } from '../base/omit-undefined.ts';
import type { TroupeEvent } from '../events/event-types.ts';
import type { EventBus } from '../events/events.ts';
import type { StreamItem } from '../tasks/stream-items.ts';

export type Route = {
  readonly taskId: string;
  /** The task was accepted after this event. */
  readonly fromSeq: number;
  readonly children: boolean;
  readonly tools: boolean;
  /** Receives what the agents of the task say and call. */
  readonly onItem: (item: StreamItem) => void;
};

type Routed = TroupeEvent<'model_delta' | 'tool_started' | 'tool_completed' | 'task_started'>;

const routedTypes = ['model_delta', 'tool_started', 'tool_completed', 'task_started'] as const;

/** Listens while there is a stream. */
export class StreamRouter {
  readonly #events: Pick<EventBus, 'on' | 'kept'>;
  readonly #byTask = new RouteIndex();
  /** By the agents of their tasks and of those below: it is by its parent that a descendant is known. */
  readonly #byAgent = new RouteIndex();
  #count = 0;
  #stops: readonly (() => void)[] = [];

  constructor(events: Pick<EventBus, 'on' | 'kept'>) {
    this.#events = events;
  }

  /** From now on; returns how to stop. */
  open(route: Route): () => void {
    const { taskId, fromSeq, children } = route;
    this.#byTask.add(taskId, route);
    if (children) {
      for (const event of this.#events.kept()) if (event.seq > fromSeq) this.#routesOf(event);
    }
    this.#count += 1;
    if (this.#count === 1) {
      this.#stops = routedTypes.map((type) => this.#events.on(type, (event) => this.#send(event)));
    }
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#byTask.remove(route);
      this.#byAgent.remove(route);
      this.#count -= 1;
      if (this.#count > 0) return;
      for (const stop of this.#stops) stop();
      this.#stops = [];
    };
  }

  #send(event: Routed): void {
    const item = itemOf(event);
    for (const route of this.#routesOf(event)) {
      if (item !== null && (item.type === 'text' || route.tools)) route.onItem(item);
    }
  }

  /** The streams that an event is for; its agent is known to them from then on. */
  #routesOf({ taskId = '', agentId, parentId = '' }: TroupeEvent): readonly Route[] {
    const own = this.#byTask.of(taskId);
    const below = this.#byAgent.of(parentId).filter((route) => route.taskId !== taskId);
    const all = below.length === 0 ? own : [...own, ...below];
    if (agentId !== undefined) {
      for (const route of all) if (route.children) this.#byAgent.add(agentId, route);
    }
    return all;
  }
}

/** Routes by a name, and the names of each route. */
class RouteIndex {
  readonly #routes = new Map<string, readonly Route[]>();
  readonly #names = new Map<Route, Set<string>>();

  of(name: string): readonly Route[] {
    return this.#routes.get(name) ?? [];
  }

  add(name: string, route: Route): void {
    const names = this.#names.get(route) ?? new Set();
    if (names.has(name)) return;
    this.#names.set(route, names.add(name));
    this.#routes.set(name, [...this.of(name), route]);
  }

  remove(route: Route): void {
    for (const name of this.#names.get(route) ?? []) {
      const left = this.of(name).filter((each) => each !== route);
      if (left.length > 0) this.#routes.set(name, left);
      else this.#routes.delete(name);
    }
    this.#names.delete(route);
  }
}

function itemOf(event: Routed): StreamItem | null {
  const { taskId = '', path = '' } = event;
  switch (event.type) {
    case 'model_delta':
      return event.kind === 'text' ? { type: 'text', taskId, path, text: event.text } : null;
    case 'tool_started': {
      const { callId, name, inputPreview } = event;
      return { type: 'tool_started', taskId, path, callId, name, inputPreview };
    }
    case 'tool_completed': {
      const { callId, name, isError, resultPreview } = event;
      const call = { callId, name, isError, resultPreview };
      const timed = omitUndefined({ durationMs: event.durationMs });
      return { type: 'tool_completed', taskId, path, ...call, ...timed };
    }
    case 'task_started':
      return null;
  }
}
