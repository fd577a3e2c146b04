// A loop that never ends, for agents and bare workers alike.

/** Calls `say` once the loop is compiled and has run for a while: what V8 does for a new loop is over by then. */
export function spinForEver(say: () => void): never {
  spin(10_000_000);
  say();
  for (;;) spin(1_000_000_000);
}

function spin(turns: number): void {
  for (let turn = 0; turn < turns; turn += 1);
}
