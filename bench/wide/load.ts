// Thread entry of its own process: one load of T17 on the package as it is published, from the start of the process to its end.
// Prints what came of it as a line of JSON.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as troupe from '#src/index.js';
import { instantModel, slowed } from '../instant-model.ts';

/** The bundle that programs load, not the modules one by one. */
const published = new URL('../../lib/index.js', import.meta.url).href;
const { createSupervisor }: typeof troupe = await import(published);

const [concurrency = 1, tasks = 1, turnMs = 0] = process.argv.slice(2).map(Number);
const [, , , , , variant = 'plain', serverUrl = ''] = process.argv;
const filler = variant === 'long' ? 'x'.repeat(200_000) : '';
const toolTurns = variant === 'turns' ? 40 : 1;

const supervisor = createSupervisor({
  model:
    variant === 'gateway'
      ? {
          model: 'claude-sonnet-5',
          apiMode: 'anthropic_messages',
          baseUrl: serverUrl,
          apiKey: 'any',
        }
      : slowed(instantModel({ toolTurns }), turnMs),
  tools: [new URL(`../threads/${toolOf(variant)}.js`, import.meta.url)],
  limits: { maxLiveAgents: Math.max(concurrency, 1_000) },
});
const each = Array.from({ length: tasks }, (_, at) => ({
  goal: `task ${at}`,
  context: filler,
  maxTurns: toolTurns + 1,
}));
for await (const { status, text, toolCalls, error } of supervisor.map(each, { concurrency })) {
  assert.equal(status, 'completed', error?.message);
  assert.deepEqual([text, toolCalls], ['done', toolTurns]);
}
await supervisor.close();
await sleep(0);
process.stdout.write(`${JSON.stringify({ maxRssKib: process.resourceUsage().maxRSS })}\n`);

function toolOf(name: string): string {
  if (name === 'awaits') return 'sleep-tool';
  return name === 'computes' ? 'busy-tool' : 'add-tool';
}
