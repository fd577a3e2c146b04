// A loop that never ends, for agents and bare workers alike.

/** Calls `say` once the loop has run for a while, so that who waits for it sees a loop and no start of one. */
export function spinForEver(say: () => void): never {
  spin(10_000_000);
  say();
  for (;;) spin(1_000_000_000);
}

function spin(turns: number): void {
  for (let turn = 0; turn < turns; turn += 1);
}
