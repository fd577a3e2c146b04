// Checks journals that are damaged: what is read is what was written, or the journal says that it is not (J6).
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JournalRecord } from '#src/journal/records.js';
import { JournalStore } from '#src/journal/store.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { accepted } from './records.ts';

const pageBytes = 4_096;
const tasks = 12;
const ids = Array.from({ length: tasks }, (_, at) => `t${at + 1}`);
const long = (text: string): string => JSON.stringify(text.repeat(400));

/** Tasks, every second of which has ended; an agent and a session. */
const records: readonly JournalRecord[] = [
  ...ids.flatMap((taskId, at): readonly JournalRecord[] => [
    accepted(taskId, {
      spec: long(taskId),
      session: at === 0 ? 'chat' : null,
      isBackground: at === 0,
    }),
    { type: 'run_committed', taskId, seq: 1, at: 2, body: long(`${taskId}.1`) },
    { type: 'run_committed', taskId, seq: 2, at: 3, body: long(`${taskId}.2`) },
    ...(at % 2 === 0
      ? []
      : [
          {
            type: 'task_ended',
            taskId,
            at: 4,
            status: 'completed',
            outcome: long(`${taskId}!`),
          } as const,
        ]),
  ]),
  { type: 'agent_spawned', name: 'ada', at: 1, spec: long('ada') },
  {
    type: 'agent_remembered',
    name: 'ada',
    used: '{}',
    first: 1,
    from: 1,
    messages: [long('a'), long('b')],
  },
  {
    type: 'session_changed',
    sessionId: 'chat',
    at: 1,
    settings: '{}',
    posted: [1, 2, 3].map((seq) => ({ seq, entry: long(`entry ${seq}`) })),
    removed: [],
  },
];

/** All that a journal has, as it is read at a start and afterwards. */
const allOf = (store: JournalStore): Readonly<Record<string, unknown>> => ({
  unfinished: store
    .contents()
    .tasks.filter(({ status }) => status === null)
    .map(({ taskId }) => taskId),
  ...Object.fromEntries(ids.map((id) => [id, store.load(id)])),
  ada: store.agents.load('ada'),
  chat: store.sessions.load('chat'),
});

async function written(): Promise<{
  readonly path: string;
  readonly all: Readonly<Record<string, unknown>>;
}> {
  const path = join(temporaryFolder(), 'whole.db');
  const store = await JournalStore.open(path);
  store.commit(records);
  const all = allOf(store);
  store.close();
  return { path, all };
}

/** What is read of a damaged file that is not what was written, and that nothing says. */
async function hiddenDamage(
  path: string,
  all: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  let store: JournalStore;
  try {
    store = await JournalStore.open(path);
  } catch (thrown) {
    // It is refused whole.
    expect(thrown).toMatchObject({ code: expect.stringMatching(/^journal_(failed|format)$/) });
    return [];
  }
  try {
    const read = allOf(store);
    const wrong = Object.keys(all).filter((what) => {
      try {
        expect(read[what]).toEqual(all[what]);
        return false;
      } catch {
        return !(read[what] as { isDamaged?: boolean } | null)?.isDamaged;
      }
    });
    return wrong.length > 0 && [...store.problems()].length === 0 ? wrong : [];
  } catch (thrown) {
    // SQLite itself says what is wrong.
    expect(String(thrown)).toMatch(
      /malformed|corrupt|not a database|disk I\/O|no such (table|column)/i,
    );
    return [];
  } finally {
    store.close();
  }
}

it('a file that is cut at any page says so (J6)', async () => {
  const { path, all } = await written();
  const pages = readFileSync(path).length / pageBytes;
  const folder = temporaryFolder();
  for (let page = 0; page < pages; page += 1) {
    // An empty file is a new journal.
    if (page === 0) continue;
    const cut = join(folder, `cut-${page}.db`);
    copyFileSync(path, cut);
    truncateSync(cut, page * pageBytes);
    expect(await hiddenDamage(cut, all), `of page ${page}`).toEqual([]);
  }
  expect(await hiddenDamage(path, all)).toEqual([]);
});

it('a file with any byte changed says so where it is read (J6)', { timeout: 120_000 }, async () => {
  const { path, all } = await written();
  const bytes = readFileSync(path);
  const folder = temporaryFolder();
  let copies = 0;
  const change = fc.record({
    at: fc.integer({ min: 0, max: bytes.length - 1 }),
    by: fc.integer({ min: 1, max: 255 }),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ at, by }) => {
      // A driver may keep a file open for a while.
      copies += 1;
      const changed = join(folder, `changed-${copies}.db`);
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ by;
      writeFileSync(changed, copy);
      expect(await hiddenDamage(changed, all)).toEqual([]);
    }),
    { numRuns: Number(process.env['DAMAGE_RUNS'] ?? 200) },
  );
});

it('a log that is cut near its end has whole groups, and is as good as before (J6)', {
  timeout: 120_000,
}, async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'open.db');
  const store = await JournalStore.open(path);
  store.commit([accepted('t1')]);
  store.commit([
    accepted('t2'),
    { type: 'run_committed', taskId: 't2', seq: 1, at: 1, body: '"2"' },
  ]);
  store.commit([
    accepted('t3'),
    { type: 'run_committed', taskId: 't3', seq: 1, at: 1, body: '"3"' },
  ]);
  const file = readFileSync(path);
  const log = readFileSync(`${path}-wal`);
  store.close();
  const seen = new Set<string>();
  const step = 97;
  for (let length = log.length; length > log.length - 8 * pageBytes && length > 0; length -= step) {
    const cut = join(folder, `cut-${length}.db`);
    writeFileSync(cut, file);
    writeFileSync(`${cut}-wal`, log.subarray(0, length));
    const again = await JournalStore.open(cut);
    const found = ['t1', 't2', 't3'].filter((id) => again.task(id) !== null);
    for (const id of found.slice(1)) expect([...again.commitsOf(id)], id).toHaveLength(1);
    expect([...again.problems()]).toEqual([]);
    again.close();
    seen.add(found.join(','));
  }
  expect([...seen].sort()).toEqual(['', 't1', 't1,t2', 't1,t2,t3']);
});
