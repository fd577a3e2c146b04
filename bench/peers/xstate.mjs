// The micro workloads of the `inline` scenario on xstate actors; the measured part leaves out building and stopping them.
// A stopped actor receives `xstate.stop` as its last event, so every transition looks at the type.
import { createActor, fromTransition } from 'xstate';

const start = (transition, initial) => createActor(fromTransition(transition, initial)).start();

/** Two actors pass a message back and forth; the result is the number of pongs that came back. */
export async function pingPong(roundTrips) {
  const pong = start((state, event, { self }) => {
    if (event.type === 'ping') event.from.send({ type: 'pong', from: self });
    return state;
  }, null);
  let begun = 0;
  let ping;
  const result = await new Promise((resolve) => {
    ping = start((count, event, { self }) => {
      if (event.type === 'xstate.stop') return count;
      const next = event.type === 'pong' ? count + 1 : count;
      if (next === roundTrips) resolve(next);
      else pong.send({ type: 'ping', from: self });
      return next;
    }, 0);
    begun = performance.now();
    ping.send({ type: 'start' });
  });
  const ms = performance.now() - begun;
  for (const actor of [ping, pong]) actor.stop();
  return { ms, result };
}

/** One actor adds up what it is sent; the result is the sum. */
export async function counting(messages) {
  let begun = 0;
  let counter;
  const result = await new Promise((resolve) => {
    counter = start((total, event) => {
      if (event.type === 'add') return total + event.amount;
      if (event.type === 'total') resolve(total);
      return total;
    }, 0);
    begun = performance.now();
    for (let sent = 0; sent < messages; sent += 1) counter.send({ type: 'add', amount: 1 });
    counter.send({ type: 'total' });
  });
  const ms = performance.now() - begun;
  counter.stop();
  return { ms, result };
}

/** A token runs around a ring until its hops are used up; the result is the number of hops. */
export async function ring(size, hops) {
  const members = [];
  let begun = 0;
  const result = await new Promise((resolve) => {
    for (let index = 0; index < size; index += 1) {
      const next = (index + 1) % size;
      members.push(
        start((state, event) => {
          if (event.type !== 'token') return state;
          if (event.hops === hops) resolve(event.hops);
          else members[next].send({ type: 'token', hops: event.hops + 1 });
          return state;
        }, null),
      );
    }
    begun = performance.now();
    members[0].send({ type: 'token', hops: 0 });
  });
  const ms = performance.now() - begun;
  for (const actor of members) actor.stop();
  return { ms, result };
}

/** Creates actors that answer one message and stop; the result is the sum of their answers. */
export async function forkJoin(actors) {
  let begun = 0;
  let join;
  const result = await new Promise((resolve) => {
    join = start(
      (state, event) => {
        if (event.type !== 'done') return state;
        const next = { sum: state.sum + event.value, left: state.left - 1 };
        if (next.left === 0) resolve(next.sum);
        return next;
      },
      { sum: 0, left: actors },
    );
    begun = performance.now();
    for (let index = 0; index < actors; index += 1) {
      const child = start((state, event, { self }) => {
        if (event.type !== 'work') return state;
        join.send({ type: 'done', value: event.value + 1 });
        self.stop();
        return state;
      }, null);
      child.send({ type: 'work', value: index });
    }
  });
  const ms = performance.now() - begun;
  join.stop();
  return { ms, result };
}
