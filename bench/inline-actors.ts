// The micro workloads of the `inline` scenario on our own inline actors, with mailbox, ledger and supervision on.
// The measured part leaves out building and closing the system, as it does for the peers.
import {
  type ActorSystem,
  type Address,
  behavior,
  createActorSystem,
  next,
  stop,
} from '#src/actor.js';
import type { ActorPeer, Timed } from './peers.ts';

const timeoutMs = 60_000;

/** Answers the ask that set a workload off; taken at its start, used at its end. */
type Finish = (result: unknown) => void;
const notAsked: Finish = () => {
  throw new Error('the workload ended before it was set off');
};

type PingMessage = { readonly type: 'run' } | { readonly type: 'pong' };

function ping(pong: Address, roundTrips: number) {
  let finish = notAsked;
  return behavior<number, PingMessage>({
    start: () => 0,
    receive(count, message, self) {
      if (message.type === 'run') finish = self.takeReply();
      const changed = message.type === 'pong' ? count + 1 : count;
      if (changed === roundTrips) finish(changed);
      else self.tell(pong, { type: 'ping' });
      return next(changed);
    },
  });
}

const pong = behavior<null, { readonly type: 'ping' }>({
  start: () => null,
  receive(state, _message, self) {
    if (self.sender !== null) self.tell(self.sender, { type: 'pong' });
    return next(state);
  },
});

type CounterMessage =
  | { readonly type: 'add'; readonly amount: number }
  | { readonly type: 'total' };

const counter = behavior<number, CounterMessage>({
  start: () => 0,
  receive(total, message, self) {
    if (message.type === 'add') return next(total + message.amount);
    self.reply(total);
    return next(total);
  },
});

type RingMessage = { readonly type: 'run' } | { readonly type: 'token'; readonly hops: number };

/** `ring` holds the addresses of all, filled in before the token starts. */
function member(ring: readonly Address[], index: number, hops: number) {
  let finish = notAsked;
  return behavior<null, RingMessage>({
    start: () => null,
    receive(state, message, self) {
      if (message.type === 'run') finish = self.takeReply();
      const done = message.type === 'run' ? 0 : message.hops;
      const to = ring[(index + 1) % ring.length];
      if (done === hops) finish(done);
      else if (to !== undefined) self.tell(to, { type: 'token', hops: done + 1 });
      return next(state);
    },
  });
}

type JoinMessage = { readonly type: 'sum' } | { readonly type: 'done'; readonly value: number };
type JoinState = { readonly sum: number; readonly left: number };

function join(actors: number) {
  let finish = notAsked;
  return behavior<JoinState, JoinMessage>({
    start: () => ({ sum: 0, left: actors }),
    receive(state, message, self) {
      if (message.type === 'sum') {
        finish = self.takeReply();
        return next(state);
      }
      const changed = { sum: state.sum + message.value, left: state.left - 1 };
      if (changed.left === 0) finish(changed.sum);
      return next(changed);
    },
  });
}

const worker = behavior<Address, { readonly type: 'work'; readonly value: number }, Address>({
  start: (joining) => joining,
  receive(joining, message, self) {
    self.tell(joining, { type: 'done', value: message.value + 1 });
    return stop();
  },
});

/** Builds a system, times `workload` on it, closes it. */
async function measured(build: (system: ActorSystem) => () => unknown): Promise<Timed> {
  await using system = createActorSystem();
  const workload = build(system);
  const begun = performance.now();
  const result = await workload();
  return { ms: performance.now() - begun, result: Number(result) };
}

/** Room for everything that one workload sends at once; nact and xstate have no bound. */
function mailboxFor(messages: number) {
  return { maxMessages: messages + 1, maxBytes: Number.MAX_SAFE_INTEGER };
}

/** Troupe, with the face of its peers. */
export const troupe: ActorPeer = {
  pingPong: (roundTrips) =>
    measured((system) => {
      const answering = system.spawnInline(pong);
      const asking = system.spawnInline<PingMessage>(ping(answering.address, roundTrips));
      return () => asking.ask({ type: 'run' }, { timeoutMs });
    }),

  counting: (messages) =>
    measured((system) => {
      const counting = system.spawnInline<CounterMessage>(counter, {
        mailbox: mailboxFor(messages),
      });
      return () => {
        for (let sent = 0; sent < messages; sent += 1) counting.tell({ type: 'add', amount: 1 });
        return counting.ask({ type: 'total' }, { timeoutMs });
      };
    }),

  ring: (size, hops) =>
    measured((system) => {
      const addresses: Address[] = [];
      const members = Array.from({ length: size }, (_, index) =>
        system.spawnInline<RingMessage>(member(addresses, index, hops)),
      );
      addresses.push(...members.map(({ address }) => address));
      // `hops` is a multiple of `size`, so the token ends where it was asked for.
      return () => members[0]?.ask({ type: 'run' }, { timeoutMs });
    }),

  forkJoin: (actors) =>
    measured((system) => {
      const joining = system.spawnInline<JoinMessage>(join(actors), {
        mailbox: mailboxFor(actors),
      });
      return () => {
        const sum = joining.ask({ type: 'sum' }, { timeoutMs });
        for (let value = 0; value < actors; value += 1) {
          system.spawnInline(worker, { args: joining.address }).tell({ type: 'work', value });
        }
        return sum;
      };
    }),
};
