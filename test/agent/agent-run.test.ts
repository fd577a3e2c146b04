// Proves that a run asks its model nothing once the shared flag is set, wherever between two awaits it is.
import { describe, expect, it } from 'vitest';
import type { Hooks } from '#src/agent/hooks.js';
import type { ModelAnswer } from '#src/agent/worker-environment.js';
import { TroupeError } from '#src/base/failures.js';
import type { Message } from '#src/protocol/history.js';
import { modelAnswer, runOf } from './run-driver.ts';

const textOf = (role: 'user' | 'assistant', text: string): Message => ({
  role,
  content: [{ type: 'text', text }],
});

/** A run in a thread that has seen the flag and not yet received the message that aborts its signal. */
function running(hooks: Hooks, respond: () => Promise<ModelAnswer>) {
  const thread = { isInterrupted: false };
  const memory = [textOf('user', 'a'), textOf('assistant', 'b'.repeat(9_000))];
  const interrupted = (): boolean => thread.isInterrupted;
  return { ...runOf([respond, respond], { hooks: [hooks], memory, interrupted }), thread };
}

describe('a run that is interrupted', () => {
  it('while a hook before its turn runs asks its model nothing (S2, S8)', async () => {
    const { run, thread, requests } = running(
      {
        beforeTurn: () => {
          thread.isInterrupted = true;
        },
      },
      async () => modelAnswer('done'),
    );

    const end = await run.toEnd();

    expect(end).toMatchObject({ exitReason: 'interrupted', error: { code: 'interrupted' } });
    expect(requests).toHaveLength(0);
  });

  it('while its model refuses a conversation that is too long does not ask again (S2, S8)', async () => {
    const { run, thread, events, requests } = running({}, async () => {
      thread.isInterrupted = true;
      throw new TroupeError('context_window_exceeded', 'too long');
    });

    const end = await run.toEnd();

    expect(end).toMatchObject({ exitReason: 'interrupted', error: { code: 'interrupted' } });
    expect(requests).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'shortened')).toEqual([]);
  });
});
