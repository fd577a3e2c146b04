// Owns the wait for something that no event tells of: looked at once a turn of the event loop, until a deadline.
const deadlineMs = 30_000;

/** Resolves with the first value that is not null; rejects by what was awaited when none came in time. */
export async function until<Value>(look: () => Value | null, what: string): Promise<Value> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const value = look();
    if (value !== null) return value;
    if (performance.now() > deadline)
      throw new Error(`${what} did not come within ${deadlineMs} ms`);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
