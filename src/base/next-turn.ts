// Owns the wait for the next turn of the event loop, and for the end of what this thread has asked of the system.
import { fstat } from 'node:fs';

// As Node has it: in a thread of agents the global one is followed, to see what their code leaves behind.
const soon = setImmediate;

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => soon(resolve));
}

/** How Node calls what is asked of the system once and ends by itself: of files, names, ciphers, connections. */
const request = /Req(?:Promise|Callback|Wrap|uest)?$|(?:Connect|Write|Shutdown)Wrap$/;
const maxRequestMs = 1_000;

/** Resolves when no such request of this thread is under way, or after a second: one may never end, as of a named pipe. */
export async function requestsOver(now: () => number): Promise<void> {
  const until = now() + maxRequestMs;
  // A job of the thread pool that Node lists nowhere, as it does `readFile` of a small file from 26.10 on, is taken up before this.
  fstat(0, () => {});
  do await nextTurn();
  while (process.getActiveResourcesInfo().some((kind) => request.test(kind)) && now() < until);
}
