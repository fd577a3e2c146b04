// Checks how far a thread steps back: behind the host's loop from the start, behind waiting agents once it computes.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type HookReference } from '#src/index.js';
import { hookFixture } from './hook-support.ts';
import { supervise, toolFixture, within } from './support.ts';

/** How many threads of this process have stepped back by how much. */
function stepsBack(): Readonly<Record<number, number>> {
  const own = getPriority();
  const counts: Record<number, number> = {};
  for (const thread of readdirSync('/proc/self/task')) {
    const step = priorityOf(Number(thread), own) - own;
    if (step !== 0) counts[step] = (counts[step] ?? 0) + 1;
  }
  return counts;
}

/** The priority of a thread; the process's own for one that is gone meanwhile. */
function priorityOf(thread: number, own: number): number {
  try {
    return getPriority(thread);
  } catch {
    return own;
  }
}

type Modules = { readonly tools?: URL; readonly hooks?: HookReference };

/** What one agent saw of the threads at each call of `look`; it calls one tool a turn. */
async function seenBy(names: readonly string[], modules: Modules) {
  const seen: Readonly<Record<number, number>>[] = [];
  const look = defineTool({
    name: 'look',
    description: 'Looks at the threads from outside, while that of its agent waits.',
    input: z.object({}),
    run: () => seen.push(stepsBack()),
  });
  const turns = names.map((name) => ({ toolCalls: [{ name, input: {} }] }));
  const script = { default: [...turns, { text: 'done' }] };
  const { supervisor } = supervise(script, {
    tools: modules.tools === undefined ? [look] : [look, modules.tools],
    threads: { profile: { niceness: 4 } },
  });
  const { hooks } = modules;
  const task = hooks === undefined ? { goal: 'a' } : { goal: 'a', hooks };
  const outcome = await within(supervisor.delegate(task), 'the outcome');
  expect(outcome.status).toBe('completed');
  return seen;
}

describe.runIf(process.platform === 'linux')('a thread', () => {
  it('steps back half as far again from its first tool on', async () => {
    const seen = await seenBy(['look', 'report', 'look'], { tools: toolFixture('plain') });

    // The one that described the module may still be there: it runs no tool.
    expect(seen[0]?.[4]).toBeGreaterThan(0);
    expect(seen.map((steps) => steps[6] ?? 0)).toEqual([0, 1]);
  });

  it('does so for a hook as well', async () => {
    const [steps] = await seenBy(['look'], { hooks: hookFixture('marking') });

    expect(steps?.[6]).toBe(1);
  });

  it('leaves the helpers that read files for the whole process where they are', async () => {
    const program = fileURLToPath(
      new URL('../fixtures/programs/helpers-priority.js', import.meta.url),
    );
    const run = promisify(execFile)(process.execPath, [program]);

    const { stdout } = await within(run, 'the end of it');

    expect(JSON.parse(stdout)).toEqual({ status: 'completed', isAgents: true });
  });
});
