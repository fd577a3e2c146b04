// Owns the event stream: the typed events, and their one gapless sequence (O1). What is kept of it is event-ring.ts.

import { EventEmitter } from 'eventemitter3';
import type { Clock } from '../base/clock.ts';
import { describe, TroupeError } from '../base/failures.ts';
import { insteadOf } from '../base/nearest-name.ts';
import { toFault } from '../base/stack.ts';
import { filterCheck } from './event-filter.ts';
import { EventReader } from './event-reader.ts';
import { EventRing, weightOf } from './event-ring.ts';
import {
  type EventFilter,
  type EventPayloads,
  type EventSubject,
  type EventType,
  eventTypes,
  type TroupeEvent,
} from './event-types.ts';
import { guard } from './guarded-listener.ts';

const checkFilter = filterCheck(Object.keys(eventTypes));

function checkType(type: unknown): void {
  if (typeof type === 'string' && Object.hasOwn(eventTypes, type)) return;
  const hint = insteadOf(type, Object.keys(eventTypes));
  throw new TroupeError('invalid_options', `there is no type of event ${describe(type)}; ${hint}`);
}

type Listeners = { [Type in EventType]: (event: TroupeEvent<Type>) => void };

/** The one stream of a supervisor. Emission is synchronous: an event is out before the promise it explains settles (O3). */
export class EventBus {
  readonly #clock: Clock;
  readonly #emitter = new EventEmitter<Listeners>();
  readonly #readers = new Set<EventReader>();
  readonly #ring = new EventRing();
  #seq: number;
  #isClosed = false;

  /** Events up to `lastSeq` are those of an earlier process. */
  constructor(clock: Clock, lastSeq = 0) {
    this.#clock = clock;
    this.#seq = lastSeq;
  }

  get lastSeq(): number {
    return this.#seq;
  }

  emit<Type extends EventType>(
    type: Type,
    subject: EventSubject,
    payload: EventPayloads[Type],
  ): void {
    const isDelta = type === 'model_delta';
    if (!isDelta) this.#seq += 1;
    const at = this.#clock.wallTime();
    // The three parts are exactly the fields of this type's event: a union of types cannot express that.
    const event = { seq: this.#seq, at, type, ...subject, ...payload } as unknown as TroupeEvent;
    const bytes = isDelta && this.#readers.size === 0 ? 0 : weightOf(event);
    if (!isDelta) this.#ring.keep(event, bytes);
    for (const reader of this.#readers) reader.push(event, isDelta, bytes);
    this.#tell(type, event as TroupeEvent<Type>);
  }

  /** Calls `listener` for each event of a type; returns how to stop. A listener that throws is reported and changes nothing (O3). */
  on<Type extends EventType>(
    type: Type,
    listener: (event: TroupeEvent<Type>) => unknown,
  ): () => void {
    checkType(type);
    if (typeof listener !== 'function') {
      throw new TroupeError('invalid_options', `a listener of ${type} is ${describe(listener)}`);
    }
    const guarded = guard(listener, (error, isAgain) => {
      // A listener of `log` receives the report of its own failure, and may fail again.
      if (type !== 'log' || !isAgain) this.#reportListener(type, error);
    });
    // eventemitter3 types its listeners by event; `guarded` is the listener of this one.
    const registered = guarded as EventEmitter.EventListener<Listeners, Type>;
    this.#emitter.on(type, registered);
    return () => {
      this.#emitter.off(type, registered);
    };
  }

  /** The events after `afterSeq`, then those to come, until the reader leaves, the signal aborts or the bus closes. */
  read(filter: EventFilter = {}): AsyncIterableIterator<TroupeEvent> {
    checkFilter(filter);
    const { afterSeq } = filter;
    const reader = new EventReader(filter, () => this.#readers.delete(reader));
    const isAborted = filter.signal?.aborted === true;
    if (afterSeq !== undefined && !isAborted) this.#replay(reader, afterSeq);
    this.#readers.add(reader);
    if (isAborted || this.#isClosed) reader.end();
    return reader;
  }

  /** The events that are still kept, oldest first; without deltas. */
  kept(): readonly TroupeEvent[] {
    return this.#ring.kept();
  }

  /** Ends every reader after what it has not read yet. */
  close(): void {
    this.#isClosed = true;
    for (const reader of [...this.#readers]) reader.end();
    this.#emitter.removeAllListeners();
  }

  #replay(reader: EventReader, afterSeq: number): void {
    const kept = this.kept();
    const oldest = kept[0]?.seq ?? this.#seq + 1;
    if (afterSeq + 1 < oldest) reader.missed(afterSeq + 1, oldest - 1, this.#clock.wallTime());
    for (const event of kept) {
      if (event.seq > afterSeq) reader.push(event, false, weightOf(event));
    }
  }

  #tell<Type extends EventType>(type: Type, event: TroupeEvent<Type>): void {
    if (this.#emitter.listenerCount(type) === 0) return;
    const parameters = [event] as Parameters<EventEmitter.EventListener<Listeners, Type>>;
    this.#emitter.emit(type, ...parameters);
  }

  #reportListener(type: EventType, error: unknown): void {
    if (this.#isClosed) return;
    const message = `a listener of ${type} failed`;
    this.emit('log', {}, { level: 'error', message, failure: toFault(error, 'internal') });
  }
}
