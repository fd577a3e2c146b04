// Owns how the code that asked for a persistent agent learns that it is there.
import { TroupeError } from '../base/failures.ts';
import type { Agent } from './state.ts';

/** Resolves when the agent can be asked. Rejects why it never will. */
export function whenReady(agent: Agent): Promise<void> {
  const ready = new Promise<void>((resolve, reject) => {
    agent.onReady = (why) => {
      agent.onReady = null;
      if (why === null) resolve();
      else reject(TroupeError.from(why));
    };
  });
  // Its caller receives the rejection, unless it has given the call up.
  ready.catch(() => {});
  return ready;
}
