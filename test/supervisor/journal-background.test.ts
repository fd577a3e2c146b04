// Checks tasks in the background of a run over a restart: none is lost, none starts twice, no end is told twice.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type Message, type Model, type Supervisor } from '#src/index.js';
import { file, made, on } from './journal-rig.ts';
import { gate, within } from './support.ts';

const start = defineTool({
  name: 'start',
  description: 'Starts a task in the background.',
  input: z.object({}),
  run: (_input, tool) => tool.background.start({ goal: 'child' }),
});
const wait = defineTool({
  name: 'wait',
  description: 'Waits for the task in the background.',
  input: z.object({}),
  run: async (_input, tool) => {
    const [task] = await tool.background.list();
    return (await tool.background.wait(task?.taskId ?? '')) ?? 'it runs on';
  },
});

const textOf = (messages: readonly Message[]): string => JSON.stringify(messages);
const isOfChild = ([first]: readonly Message[]): boolean =>
  textOf(first === undefined ? [] : [first]).includes('"child"');

type Answers = {
  /** By the number of messages that its conversation has: a tool, or its last words; null: it never comes. */
  readonly parent: (messages: readonly Message[]) => string | null;
  readonly child: () => Promise<void>;
};

function modelOf({ parent, child }: Answers) {
  const asked: (readonly Message[])[] = [];
  const model: Model = {
    id: 'by-goal',
    respond: async ({ messages }, { signal }) => {
      if (isOfChild(messages)) {
        await child();
        return { content: [{ type: 'text', text: 'the child is done' }] };
      }
      asked.push(messages);
      const answer = parent(messages);
      if (answer === null) {
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      }
      if (answer.startsWith('!')) return { content: [{ type: 'text', text: answer.slice(1) }] };
      const id = `call-${messages.length}`;
      return { content: [{ type: 'tool_use', id, name: answer, input: {} }] };
    },
  };
  return { model, asked };
}

const never = (): Promise<void> => new Promise(() => {});
const notices = (messages: readonly Message[]): number =>
  textOf(messages).split('[Background task').length - 1;

const supervise = (path: string, model: Model): Supervisor =>
  on(path, { model, tools: [start, wait], timeouts: { interruptGraceMs: 10, stopGraceMs: 10 } });

async function endOfChild(supervisor: Supervisor): Promise<void> {
  await new Promise<void>((resolve) => {
    supervisor.on('task_completed', ({ depth }) => {
      if (depth === 1) resolve();
    });
  });
}

describe('a task in the background of a run (J2, J5)', () => {
  it('goes on after a restart, and its end is told to its run once', async () => {
    const path = file();
    const begun = gate();
    const first = supervise(
      path,
      modelOf({
        parent: (messages) => (messages.length === 1 ? 'start' : null),
        child: async () => {
          begun.open();
          await never();
        },
      }).model,
    );
    const { id } = first.start({ goal: 'parent' });
    await within(begun.opened, 'the child');
    await within(first.close(), 'the close');
    made.delete(first);

    const { model, asked } = modelOf({
      parent: (messages) => (textOf(messages).includes('the child is done') ? '!over' : 'wait'),
      child: async () => {},
    });
    const next = supervise(path, model);
    const started: string[] = [];
    next.on('task_queued', ({ taskId = '' }) => started.push(taskId));
    const outcome = await within((await next.handle(id)).result(), 'the outcome');

    expect(outcome).toMatchObject({ status: 'completed', usage: { subtree: { modelCalls: 4 } } });
    expect(textOf(asked.at(-1) ?? [])).toContain('the child is done');
    expect(started).toEqual([]);
  });

  it('that had ended is told to its run after a restart, when it was not before', async () => {
    const path = file();
    const first = supervise(
      path,
      modelOf({
        parent: (messages) => (messages.length === 1 ? 'start' : null),
        child: async () => {},
      }).model,
    );
    const ended = endOfChild(first);
    const { id } = first.start({ goal: 'parent' });
    await within(ended, 'the end of the child');
    await within(first.close(), 'the close');
    made.delete(first);

    const { model, asked } = modelOf({ parent: () => '!over', child: never });
    const next = supervise(path, model);
    const outcome = await within((await next.handle(id)).result(), 'the outcome');

    expect(outcome).toMatchObject({ status: 'completed', text: 'over' });
    // The call that was on when the process ended is made again as it was.
    expect(asked.map(notices)).toEqual([0, 1]);
    expect(textOf(asked[1] ?? [])).toContain('the child is done');
  });

  it.each(['wait', 'notice'])('whose end was received by a %s is not told again', async (how) => {
    const path = file();
    const isOver = gate();
    const turns = gate();
    const first = supervise(
      path,
      modelOf({
        parent: (messages) => {
          if (messages.length === 1) return 'start';
          const isReceived = textOf(messages).includes('the child is done');
          if (isReceived && messages.length > 5) {
            turns.open();
            return null;
          }
          return how === 'wait' && !isReceived ? 'wait' : 'list';
        },
        child: async () => {
          if (how === 'notice') await isOver.opened;
        },
      }).model,
    );
    isOver.open();
    const { id } = first.start({ goal: 'parent' });
    await within(turns.opened, 'the turn after it was received');
    await within(first.close(), 'the close');
    made.delete(first);

    const { model, asked } = modelOf({ parent: () => '!over', child: never });
    const outcome = await within((await supervise(path, model).handle(id)).result(), 'the outcome');

    expect(outcome).toMatchObject({ status: 'completed' });
    expect(asked.map(notices)).toEqual([how === 'wait' ? 0 : 1]);
  });
});
