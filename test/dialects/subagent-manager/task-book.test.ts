// Checks the book of background tasks by itself: ids, pending tasks, results, what is read and what is kept.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TaskBook } from '#src/dialects/subagent-manager/task-book.js';

const bookAt = (time = 0) => {
  let now = time;
  const book = new TaskBook(() => now);
  return { book, pass: (ms: number) => (now += ms) };
};

describe('the book of tasks', () => {
  it('counts ids up per agent, and knows which are unfinished and which is newest (A44, A52)', () => {
    const { book } = bookAt();

    expect([book.create('ada'), book.create('ada'), book.create('ben')]).toEqual(['1', '2', '1']);
    book.store('ada', { success: true }, '1');

    expect(book.pending('ada')).toEqual(['2']);
    expect([book.latestId('ada'), book.latestId('ben'), book.latestId('eve')]).toEqual([
      '2',
      '1',
      null,
    ]);
    expect(book.pending('eve')).toEqual([]);
  });

  it('stores, returns and clears results; an unknown agent has none (A53, A21)', () => {
    const { book, pass } = bookAt(1_000);
    book.create('ada');
    pass(500);
    const stored = book.store('ada', { success: true, result: 'yes', metadata: { a: 1 } }, '1');
    book.store('ada', { success: false, error: 'no', executionTimeMs: 7 });

    expect(stored).toEqual({
      taskId: '1',
      agentName: 'ada',
      success: true,
      result: 'yes',
      error: null,
      executionTimeMs: 500,
      createdAt: 1_000,
      completedAt: 1_500,
      metadata: { a: 1 },
    });
    expect(book.result('ada')).toMatchObject({ taskId: '2', error: 'no', executionTimeMs: 7 });
    expect(book.result('ada', '1')).toBe(stored);
    expect([book.result('ada', '9'), book.result('eve'), book.clear('eve')]).toEqual([
      null,
      null,
      [],
    ]);
    expect(book.clear('ada', '1')).toEqual(['1']);
    expect(book.clear('ada')).toEqual(['2']);
    expect(book.result('ada')).toBeNull();
  });

  it('forgets an agent that is gone, but for its running tasks and unread results (A71)', () => {
    const { book } = bookAt();
    for (const id of ['1', '2']) {
      book.create('ada');
      book.store('ada', { success: true }, id);
    }
    book.create('ada');
    book.read('ada', '1');

    book.leave('ada');

    expect(book.results('ada').map(({ taskId }) => taskId)).toEqual(['2']);
    expect(book.pending('ada')).toEqual(['3']);
    book.store('ada', { success: true }, '3');
    for (const id of ['2', '3']) book.read('ada', id);
    book.leave('ada');
    expect(book.names()).toEqual([]);
  });

  it('never loses an unread result, whatever else happens (A46, X5)', () => {
    const step = fc.oneof(
      fc.record({ op: fc.constant('end' as const), agent: fc.constantFrom('a', 'b') }),
      fc.record({ op: fc.constant('read' as const), agent: fc.constantFrom('a', 'b') }),
      fc.record({ op: fc.constant('leave' as const), agent: fc.constantFrom('a', 'b') }),
    );

    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const { book } = bookAt();
        const unread: string[] = [];
        for (const { op, agent } of steps) {
          if (op === 'end') {
            const id = book.create(agent);
            book.store(agent, { success: true, result: 'x' }, id);
            unread.push(`${agent}${id}`);
          } else if (op === 'leave') book.leave(agent);
          else {
            const at = unread.findIndex((each) => each.startsWith(agent));
            if (at >= 0) book.read(agent, (unread.splice(at, 1)[0] ?? '').slice(1));
          }
          const kept = book.unread().map(({ agentName, taskId }) => `${agentName}${taskId}`);
          expect(kept.sort()).toEqual([...unread].sort());
        }
      }),
    );
  });
});
