// Owns the wait for the next turn of the event loop.

// As Node has it: in a thread of agents the global one is followed, to see what their code leaves behind.
const soon = setImmediate;

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => soon(resolve));
}
