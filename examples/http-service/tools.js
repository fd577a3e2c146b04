// A tool module: what it exports runs in the agent's own thread, so that the service answers while it computes.
import { defineTool } from 'troupe/tool';
import { z } from 'zod';

export const countPrimes = defineTool({
  name: 'count_primes',
  description: 'Counts the prime numbers below a limit.',
  input: z.object({ below: z.number() }),
  run({ below }, tool) {
    let count = 0;
    // Never gives the thread back; `interrupted` is how it hears that it is to end.
    for (let n = 2; n < below && !tool.interrupted(); n += 1) if (isPrime(n)) count += 1;
    return count;
  },
});

function isPrime(n) {
  for (let d = 2; d * d <= n; d += 1) if (n % d === 0) return false;
  return true;
}
