// Checks what a thread keeps of conversations: what it is sent makes the whole, and what is kept is bounded (W3).
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ConversationPart } from '#src/protocol/worker-messages.js';
import { KeptConversations, limitsOf } from '#src/threads/kept-conversations.js';

/** The thread's side: puts together what it is sent, and keeps what it is told to. */
class Thread {
  readonly kept = new Map<string, readonly unknown[]>();

  take({ key, from, messages, isKept, forget }: ConversationPart): readonly unknown[] {
    const before = this.kept.get(key) ?? [];
    for (const each of forget) this.kept.delete(each);
    expect(before.length).toBeGreaterThanOrEqual(from);
    const whole = [...before.slice(0, from), ...messages];
    if (isKept) this.kept.set(key, whole);
    return whole;
  }
}

const text = (length: number) => ({ role: 'user', content: 'x'.repeat(length) });
/** As the host estimates it: two bytes a character. */
const bytesOf = (messages: readonly unknown[]): number => 2 * JSON.stringify(messages).length;

const moves = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant('send' as const),
      actor: fc.nat({ max: 4 }),
      /** How many of its last messages are gone, and how many came. */
      lost: fc.nat({ max: 3 }),
      came: fc.array(fc.nat({ max: 400 }), { maxLength: 4 }),
    }),
    fc.record({ type: fc.constant('drop' as const), actor: fc.nat({ max: 4 }) }),
  ),
  { maxLength: 60 },
);

it('a thread has every conversation whole, whatever was kept, dropped or left out (W3)', () => {
  fc.assert(
    fc.property(moves, (played) => {
      const limits = { count: 3, bytes: 3_000 };
      const host = new KeptConversations(limits);
      const thread = new Thread();
      const conversations = new Map<string, readonly unknown[]>();
      for (const move of played) {
        const actor = `a${move.actor}`;
        if (move.type === 'drop') {
          host.drop(actor);
          expect(host.has(actor)).toBe(false);
          continue;
        }
        const before = conversations.get(actor) ?? [];
        const messages = [...before.slice(0, before.length - move.lost), ...move.came.map(text)];
        conversations.set(actor, messages);

        const whole = thread.take(host.send(actor, messages));

        expect(whole).toEqual(messages);
        expect(thread.kept.size).toBeLessThanOrEqual(limits.count);
        expect(bytesOf([...thread.kept.values()])).toBeLessThanOrEqual(2 * limits.bytes);
      }
    }),
  );
});

it('only what is new crosses, and what is replaced crosses again (W3)', () => {
  const kept = new KeptConversations(limitsOf(256));
  const [a, b, c, d] = [text(1), text(2), text(3), text(4)];

  expect(kept.send('one', [a, b])).toMatchObject({ from: 0, messages: [a, b], isKept: true });
  expect(kept.send('one', [a, b, c])).toMatchObject({ from: 2, messages: [c] });
  expect(kept.send('one', [a, d])).toMatchObject({ from: 1, messages: [d] });
  expect(kept.send('two', [a])).toMatchObject({ from: 0, messages: [a], forget: [] });
});

it('the least recently used goes first, and one that is too large is not kept', () => {
  const kept = new KeptConversations({ count: 2, bytes: 2_000 });
  const send = (actor: string, length: number) => kept.send(actor, [text(length)]);

  send('one', 10);
  send('two', 10);
  send('one', 10);
  send('three', 10);
  expect(['one', 'two', 'three'].map((each) => kept.has(each))).toEqual([true, false, true]);
  expect(send('one', 2_000)).toMatchObject({ isKept: false, forget: ['one'] });
  expect(['one', 'three'].map((each) => kept.has(each))).toEqual([false, true]);
});

it.each([
  [24, 1.5],
  [128, 8],
  [4_096, 8],
])('a heap of %i MB may have %d MB of them', (heapMb, mb) => {
  expect(limitsOf(heapMb)).toEqual({ count: 256, bytes: mb * 1_024 * 1_024 });
});
