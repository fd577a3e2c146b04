// Owns which known name was meant by a wrong one, and how an error suggests it. Pure; loads nothing.

/** What other libraries call it, and what it is here; the first that is known is meant. */
const alsoCalled: Readonly<Record<string, readonly string[]>> = {
  task: ['goal'],
  prompt: ['goal'],
  message: ['goal'],
  query: ['goal'],
  question: ['goal'],
  input: ['goal'],
  system: ['prompt'],
  systemprompt: ['prompt'],
  systemmessage: ['prompt'],
  instruction: ['prompt', 'goal'],
  instructions: ['prompt', 'goal'],
  parameters: ['input'],
  inputschema: ['input'],
  schema: ['input', 'outputSchema'],
  execute: ['run'],
  handler: ['run'],
  func: ['run'],
  function: ['run'],
  fn: ['run'],
  callback: ['run', 'onBatch'],
  timeout: ['timeoutMs', 'totalTimeoutMs', 'timeouts.totalTimeoutMs'],
  timeoutms: ['totalTimeoutMs', 'timeouts.totalTimeoutMs'],
  concurrency: ['limits.maxLiveAgents', 'maxConcurrentChildren'],
  maxconcurrency: ['concurrency', 'limits.maxLiveAgents', 'maxConcurrentChildren'],
  maxagents: ['maxLiveAgents', 'limits.maxLiveAgents'],
  maxdepth: ['maxSpawnDepth', 'limits.maxSpawnDepth'],
  maxsteps: ['maxTurns', 'budget.maxTurns'],
  maxiterations: ['maxTurns', 'budget.maxTurns'],
  budgetusd: ['maxCostUsd', 'budget.maxCostUsd'],
  maxbudgetusd: ['maxCostUsd', 'budget.maxCostUsd'],
  maxtokens: ['maxOutputTokens'],
  responseformat: ['outputSchema'],
  output: ['outputSchema'],
  requireapproval: ['needsApproval', 'approval'],
  requiresapproval: ['needsApproval', 'approval'],
  confirm: ['needsApproval'],
  cwd: ['workspace'],
  dir: ['directory', 'workspace'],
  folder: ['directory', 'workspace'],
  path: ['file', 'directory'],
  endpoint: ['baseUrl'],
  url: ['baseUrl'],
  key: ['keys', 'apiKey'],
  min: ['prewarm'],
};

const maxListed = 48;
/** So few are listed beside the nearest one. */
const maxBeside = 6;

/**
 * The known name that was meant by `given`: the same in another spelling, what others call it, a longer form, or the
 * nearest by its letters. Null when none is near.
 */
export function nearestName(given: string, known: readonly string[]): string | null {
  const plain = plainly(given);
  if (plain === '') return null;
  const same = known.find((name) => plainly(name) === plain);
  if (same !== undefined) return same;
  const other = (Object.hasOwn(alsoCalled, plain) ? alsoCalled[plain] : [])?.find((name) =>
    known.includes(name),
  );
  if (other !== undefined) return other;
  const longer = known.filter((name) => plain.length > 2 && plainly(name).startsWith(plain));
  if (longer.length === 1) return longer[0] ?? null;
  let nearest: string | null = null;
  let least = Math.max(1, Math.floor(plain.length / 3)) + 1;
  for (const name of known) {
    const far = distance(plain, plainly(name), least);
    if (far < least) [nearest, least] = [name, far];
  }
  return nearest;
}

/** The part of an error message after an unknown name: the name that was meant, else the names that are there. */
export function insteadOf(given: unknown, known: readonly string[]): string {
  const nearest = typeof given === 'string' ? nearestName(given.slice(0, maxName), known) : null;
  if (known.length === 0) return 'there are none';
  if (nearest === null) return `there are: ${listed(known)}`;
  const all = known.length <= maxBeside ? ` There are: ${listed(known)}` : '';
  return `did you mean "${nearest}"?${all}`;
}

/** Names for an error, not without end. */
function listed(names: readonly string[]): string {
  const rest = names.length - maxListed;
  return `${names.slice(0, maxListed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

const maxName = 80;

/** In lower case, without spaces and punctuation. */
function plainly(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Letters put in, taken out, replaced or exchanged with their neighbour; not counted beyond `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      const straight = Math.min(
        (above[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (above[j - 1] ?? 0) + change,
      );
      const isExchange = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(isExchange ? Math.min(straight, (before[j - 2] ?? 0) + 1) : straight);
    }
    before = above;
    above = row;
  }
  return above[b.length] ?? limit;
}
