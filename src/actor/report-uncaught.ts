// Owns where an error of the host program's own listener goes: to the program, and through no actor.

/** Throws it where nothing of the system is on the stack: what was being done goes on. */
export function reportUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
