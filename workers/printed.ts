// Owns the wait for what was printed in this thread: Node keeps it here until the host has read what came before.

const streams = [process.stdout, process.stderr];

/** True while the host has not read everything; Node refers to a port of its own until then. */
export function isPrinting(): boolean {
  return streams.some(({ writableLength }) => writableLength > 0);
}

/** Resolves when the host has read all that was printed so far. */
export async function printed(): Promise<void> {
  for (const stream of streams) {
    if (stream.writableLength === 0) continue;
    await new Promise<void>((resolve) => {
      stream.write('', () => resolve());
    });
  }
}
