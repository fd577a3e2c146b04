// Owns who plays the roles of the Savina workloads: actors on threads, inline actors, raw workers. Knows no workload.
import assert from 'node:assert/strict';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { type ActorRef, createActorSystem } from '#src/actor.js';
import { askBareThread, startBareThreads } from '../baselines/bare-threads.ts';
import savinaActor, { type SavinaMessage } from '../threads/savina-actor.ts';
import type { RoleMessage, RoleSpec } from './roles.ts';

/** Whom a workload needs. */
export type Cast = {
  /** One for each actor, by number. */
  readonly specs: readonly RoleSpec[];
  /** Pairs that talk to each other; raw workers get a channel for each. */
  readonly pairs: readonly (readonly [number, number])[];
  /** Most messages that wait for one actor. */
  readonly backlog: number;
};

/** The actors of a workload, started and introduced to each other. */
export type Crew = AsyncDisposable & {
  tell(index: number, message: RoleMessage): void;
  /** Asks an actor to run; resolves with what it finished with. */
  run(index: number): Promise<unknown>;
};

const timeoutMs = 120_000;
const module = new URL('../threads/savina-actor.js', import.meta.url);

/** Each actor on a thread of its own. */
export async function threadCrew(cast: Cast): Promise<Crew> {
  const system = createActorSystem({ threads: { max: cast.specs.length } });
  await system.prewarm(cast.specs.length);
  const refs: ActorRef<SavinaMessage>[] = [];
  for (const [index, spec] of cast.specs.entries()) {
    const options = { args: { index, spec }, mailbox: mailboxFor(cast) };
    refs.push(await system.spawn<SavinaMessage>(module, options));
  }
  return introduced(refs, () => system.close());
}

/** All actors in the host's loop. */
export async function inlineCrew(cast: Cast): Promise<Crew> {
  const system = createActorSystem();
  const refs = cast.specs.map((spec, index) => {
    const options = { args: { index, spec }, mailbox: mailboxFor(cast) };
    return system.spawnInline<SavinaMessage>(savinaActor, options);
  });
  return introduced(refs, () => system.close());
}

/** Raw workers that post to each other over channels of their own, past the host. */
export async function rawCrew({ specs, pairs }: Cast): Promise<Crew> {
  const threads = await startBareThreads('bare-savina', specs.length);
  const { workers } = threads;
  const ports = specs.map(() => new Map<number, MessagePort>());
  for (const [left, right] of pairs) {
    const { port1, port2 } = new MessageChannel();
    ports[left]?.set(right, port1);
    ports[right]?.set(left, port2);
  }
  const workerOf = (index: number) => {
    const worker = workers[index];
    if (worker === undefined) throw new Error(`there is no worker ${index}`);
    return worker;
  };
  await Promise.all(
    specs.map(async (spec, index) => {
      const own = ports[index] ?? new Map<number, MessagePort>();
      const cast = { type: 'cast', index, spec, ports: own };
      const linked = await askBareThread(workerOf(index), cast, [...own.values()]);
      assert.equal(linked, own.size, 'ports of a worker');
    }),
  );
  return {
    tell: (index, message) => workerOf(index).postMessage(message),
    run: (index) => askBareThread(workerOf(index), { type: 'run' }),
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  };
}

async function introduced(
  refs: readonly ActorRef<SavinaMessage>[],
  close: () => Promise<void>,
): Promise<Crew> {
  const peers = refs.map(({ address }) => address);
  await Promise.all(refs.map((ref) => ref.ask({ type: 'peers', peers }, { timeoutMs })));
  const refOf = (index: number) => {
    const ref = refs[index];
    if (ref === undefined) throw new Error(`there is no actor ${index}`);
    return ref;
  };
  return {
    tell: (index, message) => refOf(index).tell(message),
    run: (index) => refOf(index).ask({ type: 'run' }, { timeoutMs }),
    [Symbol.asyncDispose]: close,
  };
}

/** Raw workers have no bound. */
function mailboxFor({ backlog }: Cast) {
  return { maxMessages: backlog, maxBytes: Number.MAX_SAFE_INTEGER };
}
