// Checks what a journal keeps of persistent agents: the memory that its records come to, whatever happened to it in between.
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JournalRecord } from '#src/journal/records.js';
import { JournalStore } from '#src/journal/store.js';
import type { Message } from '#src/protocol/history.js';
import { readAgent, WrittenAgent } from '#src/tasks/journal/written-agent.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { journalOfFormat1 } from './format-1.ts';

const file = (): string => join(temporaryFolder(), 'troupe.db');

const says = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });

const spawned = (name: string): JournalRecord => ({
  type: 'agent_spawned',
  name,
  at: 1,
  spec: '{"definition":"clerk","survivesCrash":false}',
});

const remembered = (name: string, written: WrittenAgent, memory: readonly Message[]) =>
  ({ type: 'agent_remembered', name, used: '{}', ...written.remember(memory) }) as const;

/** What a run does to a memory: it forgets the oldest, rewrites what follows the first few, adds. */
const change = fc.record({
  forgets: fc.nat({ max: 4 }),
  keeps: fc.nat({ max: 8 }),
  adds: fc.array(fc.string(), { maxLength: 4 }),
});

it('has the memory after the last run, whatever each has kept of the one before (J5)', async () => {
  const store = await JournalStore.open(file());
  let agents = 0;
  try {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), fc.nat({ max: 8 }), (changes, restartAt) => {
        agents += 1;
        const name = `agent-${agents}`;
        store.commit([spawned(name)]);
        let written = new WrittenAgent();
        let memory: readonly Message[] = [];
        const load = () => {
          const kept = store.agents.load(name);
          if (kept === null || kept.isDamaged) throw new Error(kept?.why ?? 'it is gone');
          return readAgent(kept.value);
        };
        for (const [at, { forgets, keeps, adds }] of changes.entries()) {
          if (at === restartAt) {
            const loaded = load();
            written = WrittenAgent.of(loaded);
            memory = loaded.memory ?? [];
          }
          memory = [...memory.slice(forgets).slice(0, keeps), ...adds.map(says)];
          store.commit([remembered(name, written, memory)]);
          expect(load().memory).toEqual(memory);
        }
      }),
    );
  } finally {
    store.close();
  }
});

it('writes of a memory what is new in it alone', () => {
  const written = new WrittenAgent();
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(says) as [Message, Message, Message, Message];

  expect(written.remember([a, b])).toMatchObject({ first: 1, from: 1 });
  expect(written.remember([a, b, c])).toEqual({ first: 1, from: 3, messages: [JSON.stringify(c)] });
  expect(written.remember([b, c, d])).toEqual({ first: 2, from: 4, messages: [JSON.stringify(d)] });
  expect(written.remember([b, d])).toMatchObject({ first: 2, from: 3 });
});

it('forgets an agent with its memory when it ends, and one of its name begins anew', async () => {
  const store = await JournalStore.open(file());
  const ended: JournalRecord = { type: 'agent_ended', name: 'ann' };
  store.commit([spawned('ann'), remembered('ann', new WrittenAgent(), [says('a')])]);
  store.commit([ended]);
  const gone = store.agents.load('ann');
  store.commit([spawned('ann')]);
  const again = store.agents.load('ann');
  const { agents } = store.stats();
  store.close();

  expect(gone).toBeNull();
  expect(again).toMatchObject({ value: { used: null, first: 1, messages: [] } });
  expect(agents).toBe(1);
});

it('reads a journal of the first version, and writes it as one of this', async () => {
  const path = file();
  await journalOfFormat1(path, 'go on');

  for (const _life of [1, 2]) {
    const store = await JournalStore.open(path);
    const { tasks, reserved } = store.contents();
    store.commit([spawned('ann')]);
    const kept = store.load('t7');
    const problems = [...store.problems()];
    store.close();

    expect(tasks).toMatchObject([{ taskId: 't7', agent: null, status: null }]);
    expect(reserved).toEqual({ tasks: 10_000, events: 1_000_000 });
    expect(kept).toMatchObject({ value: { task: { spec: expect.stringContaining('go on') } } });
    expect(problems).toEqual([]);
  }
});
