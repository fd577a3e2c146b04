// Actors without any model: two counters share one thread, one crashes and goes on, both are asked and watched.
// `node examples/counter/main.js`
import { createActorSystem, ledgerFault } from 'troupe/actor';

const say = (line) => process.stdout.write(`${line}\n`);
const counter = new URL('./counter.js', import.meta.url);
const soon = { timeoutMs: 10_000 }; // no ask without a deadline

const system = createActorSystem({
  threads: { max: 1 },
  onDeadLetter: ({ reason, to }) => say(`a message to ${to.path} was lost: ${reason}`),
});
try {
  const apples = await system.spawn(counter, {
    name: 'apples',
    restart: 'transient', // again after a crash, and not after an end in good order
    backoff: { minMs: 1, maxMs: 10, jitter: 0 },
    passivate: { afterIdleMs: 20 }, // idle for so long, it gives its thread up and keeps its count
  });
  const report = async (ref) => {
    const { total, activation } = await ref.ask({ type: 'report' }, soon);
    say(`${ref.path}: ${total}, in life ${activation}`);
  };

  // Messages of one sender arrive in their order. The one that crashes the actor is lost, and said to be; nothing else is.
  apples.tell({ type: 'add', count: 2 });
  apples.tell({ type: 'trip' });
  apples.tell({ type: 'add', count: 3 });
  await report(apples);

  // What an actor refuses is an answer: it goes on.
  await apples.ask({ type: 'peel' }, soon).catch(({ message }) => say(`refused: ${message}`));

  // There is one thread. A second counter can start because the first is idle and gives it up.
  const pears = await system.spawn(counter, { name: 'pears', passivate: { afterIdleMs: 20 } });
  say(`${pears.path} started, on ${system.threads} thread`);
  pears.tell({ type: 'add', count: 1 });
  await report(pears);

  // A message brings the first one back: the same address, the same activation, the same count.
  await report(apples);

  const ended = new Promise((resolve) => apples.watch(resolve));
  apples.tell({ type: 'finish' });
  say(`${apples.path} ended: ${(await ended).reason}`);
} finally {
  await system.close();
}
say(ledgerFault(system.ledger()) ?? 'every message is accounted for');
