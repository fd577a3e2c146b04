// Owns one stream of what several agents print while a task of theirs runs (D10).
import { TroupeError } from '../../../base/failures.ts';
import { openController } from '../../../base/when-aborted.ts';
import type { AgentBase } from './agent-base.ts';
import { MessageQueue, type Printed } from './message-queue.ts';

/**
 * Starts a queue for every agent, in the place of the one it may have until the end, runs `task`, and yields what they
 * print as they print it, until the task is over; then throws what it threw. Who leaves the loop early aborts the task's
 * signal and interrupts the agents' replies.
 */
export async function* streamPrinted(
  agents: readonly AgentBase[],
  task: (signal: AbortSignal) => Promise<unknown>,
): AsyncGenerator<Printed, void, undefined> {
  const queue = new MessageQueue();
  const abort = openController();
  const before = agents.map(({ messageQueue }) => messageQueue);
  for (const agent of agents) agent.setMessageQueueEnabled(true, queue);
  let isOver = false;
  let thrown: { readonly error: unknown } | null = null;
  // Never rejects: an error of the task is thrown at the end of the stream; a stream that was left drops it.
  const running = Promise.resolve()
    .then(() => task(abort.signal))
    .catch((error: unknown) => {
      thrown = { error };
    })
    .finally(() => {
      isOver = true;
      queue.end();
    });
  try {
    yield* queue;
    await running;
    if (thrown !== null) throw (thrown as { readonly error: unknown }).error;
  } finally {
    agents.forEach((agent, index) => {
      const own = before[index] ?? null;
      agent.setMessageQueueEnabled(own !== null, own ?? undefined);
    });
    if (!isOver) {
      abort.abort(new TroupeError('interrupted', 'nobody reads the stream any more'));
      for (const agent of agents) agent.interrupt('nobody reads the stream any more');
    }
  }
}
