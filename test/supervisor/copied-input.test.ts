// Checks that what a caller hands over is taken as it is then: later changes are not sent, and what is no data is refused.
import { describe, expect, it } from 'vitest';
import { toFailure } from '#src/base/failures.js';
import { createMsg, Memory } from '#src/dialects/agent-family/index.js';
import type { Task } from '#src/index.js';
import { supervise, within } from './support.ts';

const userMessages = (text: string) => [
  { role: 'user' as const, content: [{ type: 'text' as const, text }] },
  { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Yes.' }] },
];

/** A task with everything that is data, and a caller who changes all of it. */
function fickle() {
  const history = userMessages('history as given');
  const initialMessages = userMessages('example as given');
  const metadata = { note: { text: 'note as given' } };
  const change = (): void => {
    for (const [message] of [history, initialMessages]) {
      if (message?.content[0] !== undefined) message.content[0].text = 'CHANGED';
    }
    metadata.note.text = 'CHANGED';
  };
  const agent = { name: 'fickle', initialMessages };
  return { task: { goal: 'Go.', history, metadata, agent }, change };
}

describe('what a caller hands over', () => {
  it('is sent as it was given, by every way to hand a task over (A56)', async () => {
    const { supervisor, model } = supervise({ default: [{ text: 'done', repeat: true }] });
    const session = supervisor.session('s');
    const ways = [
      (task: object) => supervisor.delegate(task as Task),
      (task: object) => supervisor.start(task as never).result(),
      (task: object) => session.run(task as never),
      (task: object) => session.start(task as never).result(),
    ];
    supervisor.pause();

    const outcomes = ways.map((way) => {
      const { task, change } = fickle();
      const outcome = way(task);
      change();
      return outcome;
    });
    supervisor.resume();

    for (const outcome of await within(Promise.all(outcomes), 'the outcomes')) {
      expect(outcome.metadata).toEqual({ note: { text: 'note as given' } });
    }
    const sent = JSON.stringify(model.requests());
    expect(sent).toContain('history as given');
    expect(sent).toContain('example as given');
    expect(sent).not.toContain('CHANGED');
  });

  it.each([
    ['a function', () => {}],
    ['a symbol', Symbol('s')],
    ['an instance', new URL('http://h')],
  ])('is refused with its field when it holds %s (M6)', async (_, value) => {
    const { supervisor } = supervise({ default: [] });

    const refused = (): unknown => supervisor.start({ goal: 'Go.', metadata: { a: [value] } });

    expect(refused).toThrowError(expect.objectContaining({ code: 'invalid_task' }));
    try {
      refused();
    } catch (error) {
      expect(toFailure(error).message).toMatch(
        /metadata\.a\[0\] is an? (function|symbol|instance)/,
      );
    }
  });

  it('is remembered as it was given, and what a memory tells is no handle on it (D14)', () => {
    const memory = new Memory();
    const metadata = { note: 'as given' };
    const content = [{ type: 'text' as const, text: 'as given' }];
    const message = createMsg({ name: 'a', role: 'user', content, metadata });
    memory.add(message);

    for (const each of [content, message.content, memory.messages()[0]?.content]) {
      Object.assign((each as { text: string }[])[0] ?? {}, { text: 'CHANGED' });
    }

    expect(JSON.stringify(memory.messages())).not.toContain('CHANGED');
  });
});

describe('what is handed back', () => {
  it('is no handle on what the supervisor keeps (C47)', async () => {
    const { supervisor } = supervise({ default: [{ text: 'done', repeat: true }] });
    const agent = await within(supervisor.spawn({ name: 'kept' }), 'the agent');
    const outcome = await within(agent.ask('Go.', { timeoutMs: 20_000 }), 'the answer');

    for (const messages of [agent.history(), supervisor.transcript(outcome.taskId)]) {
      Object.assign(messages[0]?.content[0] ?? {}, { text: 'CHANGED' });
    }
    Object.assign(outcome.agent, { id: 'CHANGED', path: 'CHANGED' });

    const kept = [agent.history(), supervisor.transcript(outcome.taskId), supervisor.tree()];
    expect(JSON.stringify(kept)).not.toContain('CHANGED');
  });
});
