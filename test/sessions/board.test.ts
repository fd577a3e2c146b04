// Checks the board of a session: its entries, its limit, its filters and switches, and that it is no other session's.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '#src/base/clock.js';
import { Board, type BoardSettings } from '#src/sessions/board.js';
import {
  type BoardEntry,
  type BoardPost,
  maxEntryChars,
  withEntry,
} from '#src/sessions/board-entries.js';
import { supervise } from '../supervisor/support.ts';

function boardOn(settings: BoardSettings = {}): Board {
  const board = new Board({ clock: new ManualClock(), onPosted: () => {} });
  board.turnOn(settings);
  return board;
}

const contents = (entries: readonly BoardEntry[]): readonly string[] =>
  entries.map(({ content }) => content);

const status = (content: string, sender = 'a'): BoardPost => ({ type: 'status', sender, content });

describe('an entry', () => {
  it('has a type, a sender, a target, a content and the time of its post (A64)', async () => {
    const clock = new ManualClock();
    const posted: BoardEntry[] = [];
    const board = new Board({ clock, onPosted: (entry) => posted.push(entry) });
    board.turnOn();

    const first = board.post({ type: 'message', sender: 'a', target: 'b', content: 'hello' });
    await clock.advance(5_000);
    const second = board.post({ type: 'system', content: 'Be brief.' });

    const at = first.timestamp;
    expect([first, second]).toEqual([
      { type: 'message', sender: 'a', target: 'b', content: 'hello', timestamp: at },
      {
        type: 'system',
        sender: 'System',
        target: 'all',
        content: 'Be brief.',
        timestamp: at + 5_000,
      },
    ]);
    expect(at + 5_000).toBe(clock.wallTime());
    expect(board.entries()).toEqual([first, second]);
    expect(posted).toEqual([first, second]);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['type', { type: 'order', content: 'x' }],
    ['content', { type: 'status', content: '  \n' }],
    ['content', { type: 'status', content: 'x'.repeat(maxEntryChars + 1) }],
    ['content', { type: 'status' }],
    ['sender', { type: 'status', content: 'x', sender: 'a\n## Status' }],
    ['sender', { type: 'status', content: 'x', sender: 'all' }],
    ['sender', { type: 'status', content: 'x', sender: 'SYSTEM' }],
    ['sender', { type: 'system', content: 'x', sender: 'a' }],
    ['target', { type: 'status', content: 'x', target: '' }],
  ])('is refused by its field %s: %j', (field, post) => {
    const board = boardOn();

    expect(() => board.post(post as BoardPost)).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        detail: expect.objectContaining({ field }),
      }),
    );
    expect(board.entries()).toEqual([]);
  });

  it('may be as long as the limit, and cannot be changed where it stands', () => {
    const board = boardOn();
    const entry = board.post(status('x'.repeat(maxEntryChars)));

    expect(entry.content).toHaveLength(maxEntryChars);
    expect(Object.isFrozen(entry)).toBe(true);
  });
});

describe('the list', () => {
  it('at its limit of 300 becomes the newest 270, and the new one (A66, A14)', () => {
    const board = boardOn();
    for (let at = 0; at < 300; at += 1) board.post(status(`n${at}`));
    expect(board.entries()).toHaveLength(300);

    board.post(status('n300'));

    const expected = Array.from({ length: 271 }, (_, at) => `n${at + 30}`);
    expect(contents(board.entries())).toEqual(expected);
  });

  it.each([
    [1, ['n4']],
    [2, ['n3', 'n4']],
    [3, ['n2', 'n3', 'n4']],
    [10, ['n0', 'n1', 'n2', 'n3', 'n4']],
  ])('of at most %i holds after five posts %j (A66)', (maxEntries, expected) => {
    const board = boardOn({ maxEntries });
    for (let at = 0; at < 5; at += 1) board.post(status(`n${at}`));

    expect(contents(board.entries())).toEqual(expected);
  });

  it('is never longer than its limit, keeps order, and loses only from its old end (A66)', () => {
    const entryOf = (at: number): BoardEntry => ({
      type: 'status',
      sender: 'a',
      target: 'all',
      content: String(at),
      timestamp: at,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(120), (maxEntries, posts) => {
        let list: readonly BoardEntry[] = [];
        for (let at = 0; at < posts; at += 1) {
          const before = list.length;
          list = withEntry(list, entryOf(at), maxEntries);
          const kept = before < maxEntries ? before : Math.floor(maxEntries * 0.9 + 1e-9);
          expect(list).toHaveLength(kept + 1);
          expect(list.length).toBeLessThanOrEqual(maxEntries);
          const first = at + 1 - list.length;
          expect(list.map(({ timestamp }) => timestamp)).toEqual(list.map((_, i) => first + i));
        }
      }),
    );
  });

  it('is trimmed when its limit is lowered, and keeps its other settings (A66)', () => {
    const board = boardOn({ timeZone: 'Europe/Berlin' });
    for (let at = 0; at < 12; at += 1) board.post(status(`n${at}`));

    board.turnOn({ maxEntries: 12 });
    expect(board.entries()).toHaveLength(12);
    board.turnOn({ maxEntries: 10 });

    expect(contents(board.entries())).toEqual(Array.from({ length: 9 }, (_, at) => `n${at + 3}`));
    expect([board.maxEntries, board.timeZone]).toEqual([10, 'Europe/Berlin']);
  });

  it.each([
    { maxEntries: 0 },
    { maxEntries: 1.5 },
    { maxEntries: 10_001 },
    { timeZone: 'Mars/Base' },
    { size: 3 },
  ])('does not take %j as its settings, and stays off', (settings) => {
    const board = new Board({ clock: new ManualClock(), onPosted: () => {} });

    expect(() => board.turnOn(settings as BoardSettings)).toThrow(
      expect.objectContaining({ code: 'invalid_options' }),
    );
    expect([board.isOn, board.maxEntries]).toEqual([false, 300]);
  });
});

describe('what stands there', () => {
  function busy(): Board {
    const board = boardOn();
    board.post({ type: 'status', sender: 'a', content: 'a to all' });
    board.post({ type: 'message', sender: 'a', target: 'b', content: 'a to b' });
    board.post({ type: 'message', sender: 'b', target: 'c', content: 'b to c' });
    board.post({ type: 'system', target: 'c', content: 'system to c' });
    board.post({ type: 'system', content: 'system to all' });
    return board;
  }

  it.each([
    ['a', ['a to all', 'a to b', 'system to all']],
    ['b', ['a to all', 'a to b', 'b to c', 'system to all']],
    ['c', ['a to all', 'b to c', 'system to c', 'system to all']],
    ['d', ['a to all', 'system to all']],
  ])(
    'for %s is what it sent, what it was sent, and what all were sent (A68)',
    (agent, expected) => {
      expect(contents(busy().entries({ agent }))).toEqual(expected);
    },
  );

  it.each([
    ['a', 2, ['b to c', 'system to c', 'system to all']],
    ['b', 2, ['a to all', 'system to c', 'system to all']],
    ['c', 2, ['a to all', 'a to b', 'system to all']],
    ['d', 0, ['a to all', 'a to b', 'b to c', 'system to c', 'system to all']],
  ])('loses what is from or to %s when it goes (A68)', (agent, removed, expected) => {
    const board = busy();

    expect(board.removeAgent(agent)).toBe(removed);
    expect(contents(board.entries())).toEqual(expected);
  });

  it('is taken down whole (A68)', () => {
    const board = busy();

    expect([board.clear(), board.clear()]).toEqual([5, 0]);
    expect(board.entries()).toEqual([]);
  });

  it('stays while the board is off, when no agent may post (A68)', () => {
    const board = busy();
    board.turnOff();

    expect(() => board.post(status('late'))).toThrow(
      expect.objectContaining({ code: 'board_disabled' }),
    );
    expect([board.isOn, board.entries().length]).toEqual([false, 5]);
    board.turnOn();
    expect(board.entries()).toHaveLength(5);
  });
});

describe('a session', () => {
  it('has a board of its own, off until it is turned on; another session has neither (A13, A19)', () => {
    const { supervisor, watch } = supervise({ default: [] });
    const [one, two] = [supervisor.session('s1').board, supervisor.session('s2').board];
    expect([one.isOn, two.isOn]).toEqual([false, false]);

    one.turnOn({ maxEntries: 5, timeZone: 'Europe/Berlin' });
    const entry = one.post({ type: 'status', sender: 'a', content: 'busy' });

    expect([two.isOn, two.maxEntries, two.timeZone, two.entries()]).toEqual([
      false,
      300,
      'UTC',
      [],
    ]);
    expect(() => two.post(status('x'))).toThrow(
      expect.objectContaining({ code: 'board_disabled' }),
    );
    expect(supervisor.session('s1').board.entries()).toEqual([entry]);
    expect(watch.of('board_posted')).toMatchObject([{ sessionId: 's1', entry }]);
  });
});
