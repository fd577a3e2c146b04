// The micro workloads of the `inline` scenario on nact actors; the measured part leaves out building and closing the system.
import { dispatch, query, spawn, spawnStateless, start, stop } from 'nact';

/** Two actors pass a message back and forth; the result is the number of pongs that came back. */
export async function pingPong(roundTrips) {
  const system = start();
  const pong = spawnStateless(system, (message, context) => {
    dispatch(message.from, { type: 'pong', from: context.self });
  });
  let begun = 0;
  const result = await new Promise((resolve) => {
    const ping = spawn(system, (count = 0, message, context) => {
      const next = message.type === 'pong' ? count + 1 : count;
      if (next === roundTrips) resolve(next);
      else dispatch(pong, { type: 'ping', from: context.self });
      return next;
    });
    begun = performance.now();
    dispatch(ping, { type: 'start' });
  });
  const ms = performance.now() - begun;
  stop(system);
  return { ms, result };
}

/** One actor adds up what it is sent; the result is the sum. */
export async function counting(messages) {
  const system = start();
  const counter = spawn(system, (total = 0, message) => {
    if (message.type === 'add') return total + message.amount;
    dispatch(message.replyTo, total);
    return total;
  });
  const begun = performance.now();
  for (let sent = 0; sent < messages; sent += 1) dispatch(counter, { type: 'add', amount: 1 });
  const result = await query(counter, (replyTo) => ({ type: 'total', replyTo }), 60_000);
  const ms = performance.now() - begun;
  stop(system);
  return { ms, result };
}

/** A token runs around a ring until its hops are used up; the result is the number of hops. */
export async function ring(size, hops) {
  const system = start();
  const members = [];
  let begun = 0;
  const result = await new Promise((resolve) => {
    for (let index = 0; index < size; index += 1) {
      const next = (index + 1) % size;
      members.push(
        spawnStateless(system, (message) => {
          if (message.hops === hops) resolve(message.hops);
          else dispatch(members[next], { type: 'token', hops: message.hops + 1 });
        }),
      );
    }
    begun = performance.now();
    dispatch(members[0], { type: 'token', hops: 0 });
  });
  const ms = performance.now() - begun;
  stop(system);
  return { ms, result };
}

/** Creates actors that answer one message and stop; the result is the sum of their answers. */
export async function forkJoin(actors) {
  const system = start();
  let begun = 0;
  const result = await new Promise((resolve) => {
    const join = spawn(system, (state = { sum: 0, left: actors }, message) => {
      const next = { sum: state.sum + message.value, left: state.left - 1 };
      if (next.left === 0) resolve(next.sum);
      return next;
    });
    begun = performance.now();
    for (let index = 0; index < actors; index += 1) {
      // nact's own anonymous names are random 32-bit numbers and collide now and then.
      const name = `child-${index}`;
      const child = spawnStateless(
        system,
        (message, context) => {
          dispatch(join, { type: 'done', value: message.value + 1 });
          stop(context.self);
        },
        name,
      );
      dispatch(child, { type: 'work', value: index });
    }
  });
  const ms = performance.now() - begun;
  stop(system);
  return { ms, result };
}
