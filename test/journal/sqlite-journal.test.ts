// Checks a journal as the host has it: acknowledged when durable, in groups, with its thread lost or its file failing.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SqliteJournal } from '#src/journal/sqlite-journal.js';
import { JournalStore } from '#src/journal/store.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { rejection, within } from '../supervisor/support.ts';
import { accepted } from './records.ts';

const file = (): string => join(temporaryFolder(), 'troupe.db');

const open = (path: string) => SqliteJournal.open({ path });

describe('a journal in its thread', () => {
  it('acknowledges what is durable, in order, and has it after a close', async () => {
    const path = file();
    const journal = open(path);
    const order: number[] = [];

    const appends = Array.from({ length: 500 }, (_, at) =>
      journal.append([accepted(`t${at}`)]).then(() => order.push(at)),
    );
    await within(Promise.all(appends), 'the commits');
    await within(journal.close(), 'the close');

    expect(order).toEqual(appends.map((_, at) => at));
    expect(await rejection(journal.append([accepted('late')]))).toMatchObject({ code: 'closed' });
    const store = await JournalStore.open(path);
    expect(store.stats().unfinished).toBe(500);
    store.close();
  });

  it('writes what was given before its close, and ends its thread', async () => {
    const path = file();
    const journal = open(path);

    const given = journal.append([accepted('t1')]);
    await within(Promise.all([journal.close(), journal.close()]), 'the close');

    await within(given, 'the commit');
    const again = open(path);
    expect(again.contents.tasks).toMatchObject([{ taskId: 't1', status: null }]);
    await again.close();
  });

  it('acknowledges nothing from a failed write on, and stays failed', async () => {
    const journal = open(file());
    const keyed = (taskId: string) => accepted(taskId, { idempotencyKey: 'k' });
    await within(journal.append([keyed('t1')]), 'the commit');

    const twice = rejection(journal.append([keyed('t3')]));
    const after = rejection(journal.append([accepted('t2')]));

    expect(await within(twice, 'the failure')).toMatchObject({ code: 'journal_failed' });
    expect(await within(after, 'the failure after it')).toMatchObject({ code: 'journal_failed' });
    expect(journal.failure).toMatchObject({ code: 'journal_failed' });
    expect(await rejection(journal.append([]))).toMatchObject({ code: 'journal_failed' });
    await within(journal.close(), 'the close');
  });

  it('shows a reader what was given before it, and nothing that came later', async () => {
    const journal = open(file());
    const name = 'ann';
    const remembers = { type: 'agent_remembered', name, used: '{}', first: 1, from: 1 } as const;
    const given = [
      journal.append([{ type: 'agent_spawned', name, at: 1, spec: '{}' }]),
      journal.append([{ ...remembers, messages: ['"hi"'] }]),
    ];
    const loaded = journal.loadAgent(name, true);
    given.push(journal.append([{ type: 'agent_ended', name }]));

    await within(Promise.all(given), 'the commits');

    expect(await within(loaded, 'the agent')).toMatchObject({ value: { messages: ['"hi"'] } });
    expect(journal.readAgent(name)).toBeNull();
    await within(journal.close(), 'the close');
  });

  it('is refused where another has the file open', async () => {
    const path = file();
    const journal = open(path);

    expect(() => open(path)).toThrow(expect.objectContaining({ code: 'journal_locked' }));
    await journal.close();
  });
});
