// T16: inline actors beside the actor libraries that run in one loop as well. Leaves out threads.
import assert from 'node:assert/strict';
import { type Comparison, type Contestant, compare } from '../harness.ts';
import { troupe } from '../inline-actors.ts';
import { type ActorPeer, loadActorPeers, type Timed } from '../peers.ts';
import type { Scenario, Size, Sizes } from '../scenario.ts';

type Parameters = {
  readonly roundTrips: number;
  readonly messages: number;
  readonly ringSize: number;
  readonly hops: number;
  readonly actors: number;
  readonly rounds: number;
};

const sizes: Sizes<Parameters> = {
  smoke: { roundTrips: 100, messages: 100, ringSize: 10, hops: 100, actors: 100, rounds: 1 },
  normal: {
    roundTrips: 50_000,
    messages: 100_000,
    ringSize: 100,
    hops: 100_000,
    actors: 10_000,
    rounds: 7,
  },
  full: {
    roundTrips: 200_000,
    messages: 500_000,
    ringSize: 100,
    hops: 500_000,
    actors: 20_000,
    rounds: 11,
  },
};

type Workload = {
  readonly what: string;
  /** How many of the things that the rate counts one run does. */
  readonly count: number;
  readonly expected: number;
  readonly run: (peer: ActorPeer) => Promise<Timed>;
};

function workloadsOf({ roundTrips, messages, ringSize, hops, actors }: Parameters): Workload[] {
  return [
    {
      what: 'ping-pong round trips',
      count: roundTrips,
      expected: roundTrips,
      run: (peer) => peer.pingPong(roundTrips),
    },
    {
      what: 'counting messages',
      count: messages,
      expected: messages,
      run: (peer) => peer.counting(messages),
    },
    {
      what: `ring of ${ringSize}, hops`,
      count: hops,
      expected: hops,
      run: (peer) => peer.ring(ringSize, hops),
    },
    {
      what: 'fork-join create, actors',
      count: actors,
      // Each of 0 .. actors - 1 comes back one higher.
      expected: (actors * (actors + 1)) / 2,
      run: (peer) => peer.forkJoin(actors),
    },
  ];
}

/**
 * Savina's `ping-pong`, `counting`, `thread-ring` and `fork-join create` in one event loop.
 * Ours has mailbox, ledger and supervision on; nact and xstate (transition actors) do the same
 * workload in the same process. Building the actors counts only in fork-join create.
 */
export const inline: Scenario = {
  name: 'inline',
  targets: ['T16'],
  description: 'ping-pong, counting, ring of 100 and fork-join create with inline actors',
  variants: ['troupe', 'nact', 'xstate'],
  async run(size: Size) {
    const { rounds, ...parameters } = sizes[size];
    const { peers, leftOut } = await loadActorPeers(size);
    const comparisons: Comparison[] = [];
    for (const workload of workloadsOf({ ...parameters, rounds })) {
      comparisons.push(
        await compare({
          what: workload.what,
          unit: 'per_s',
          figure: 'median',
          rounds,
          warmups: 1,
          ours: contestant('troupe', troupe, workload),
          baselines: peers.map(({ name, peer }) => contestant(name, peer, workload)),
          leftOut,
          targets: [{ id: 'T16', against: ['nact'], min: 5 }],
        }),
      );
    }
    return comparisons;
  },
};

function contestant(name: string, peer: ActorPeer, workload: Workload): Contestant {
  return {
    name,
    async measure() {
      const { ms, result } = await workload.run(peer);
      assert.equal(result, workload.expected, 'result');
      return [workload.count / (ms / 1_000)];
    },
  };
}
