// Checks threads that grow: each is to end alone, out of memory, and its process to go on.
import { describe, expect, it } from 'vitest';
import type { SupervisorOptions } from '#src/index.js';
import { canAskThreads } from '#src/protocol/heap-look.js';
import { calls, supervise, toolFixture, within } from './support.ts';

const options: Partial<SupervisorOptions> = {
  tools: [toolFixture('contained')],
  threads: { profile: { maxHeapMb: 64 } },
};

/** The event loop of the thread comes to itself while it grows. */
const withAwaits = ['a cache with awaits', 'Buffers'];
/** It does not: where Node tells the host nothing, V8 ends some of them with the whole process. */
const withoutAwaits = [
  'a growing Map',
  'a growing Set',
  'an array of numbers',
  'small integers',
  'a wide object',
  'a string that doubles',
  'closures',
  'rows',
  'strings',
  'a text that grows',
  'a Map of texts',
  'a list of lists',
  'a chain',
  'Buffers at once',
];

async function grown(what: string) {
  const script = {
    agents: { grows: calls(['act', { what }]).default ?? [], other: [{ text: 'done' }] },
  };
  const { supervisor } = supervise(script, {
    ...options,
    agents: [{ name: 'grows' }, { name: 'other' }],
  });
  const outcome = await within(supervisor.delegate({ goal: 'g', agent: 'grows' }), 'the end');
  const next = await within(supervisor.delegate({ goal: 'g', agent: 'other' }), 'the next');
  return { outcome, next };
}

describe('a thread that grows', () => {
  it.each(withAwaits)('ends alone, out of memory, by %s (V1)', async (what) => {
    const { outcome, next } = await grown(what);

    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'out_of_memory' } });
    expect(next).toMatchObject({ status: 'completed' });
  });

  it.skipIf(!canAskThreads).each(withoutAwaits)(
    'and never yields ends alone, out of memory, by %s, from Node 22.16 on (V1)',
    async (what) => {
      const { outcome, next } = await grown(what);

      expect(outcome).toMatchObject({ status: 'failed', error: { code: 'out_of_memory' } });
      expect(next).toMatchObject({ status: 'completed' });
    },
  );
});
