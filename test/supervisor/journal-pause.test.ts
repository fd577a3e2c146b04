// Checks pauses on a journal: what its owner has stopped stays so with the next process, until it is resumed.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#src/index.js';
import { scripted } from '#src/testing.js';
import { gatedModel } from './gated-model.ts';
import { file, on } from './journal-rig.ts';
import { gate, within } from './support.ts';

const look = (run: () => Promise<string>) =>
  defineTool({
    name: 'look',
    description: 'Looks.',
    input: z.object({}),
    idempotent: true,
    run,
  });

it.each(['has not begun', 'is in a call'] as const)(
  'a paused task that %s waits with the next supervisor too, until it is resumed (J2, C46)',
  async (where) => {
    const path = file();
    const begun = gate();
    const first = on(path, {
      model: scripted({ default: [{ toolCalls: [{ name: 'look', input: {} }] }] }),
      tools: [
        look(() => {
          begun.open();
          return new Promise(() => {});
        }),
      ],
      limits: { maxLiveAgents: 1 },
      timeouts: { interruptGraceMs: 10, stopGraceMs: 10 },
    });
    const running = first.start({ goal: 'one' });
    await within(begun.opened, 'the call');
    const waiting = first.start({ goal: 'two' });
    const paused = where === 'has not begun' ? waiting : running;
    paused.pause();
    await within(Promise.all([running.accepted(), waiting.accepted()]), 'the acceptance');
    await within(first.close(), 'the close');

    for (const _life of [2, 3]) {
      const next = on(path, { model: gatedModel(), tools: [look(async () => 'seen')] });
      const handle = await within(next.handle(paused.id), 'the handle');
      const status = handle.status();
      await within(next.close(), 'the close');
      expect(status).toBe('queued');
    }
    const model = scripted({ default: [{ text: 'done' }] });
    const last = on(path, { model, tools: [look(async () => 'seen')] });
    const ended: string[] = [];
    last.on('task_completed', ({ taskId }) => ended.push(taskId ?? ''));
    const handles = await within(
      Promise.all([running, waiting].map(({ id }) => last.handle(id))),
      'the handles',
    );
    const handle = handles.find(({ id }) => id === paused.id);
    const other = handles.find(({ id }) => id !== paused.id);
    await within(other?.result() ?? Promise.reject(new Error('it is gone')), 'the other one');
    handle?.resume();
    await within(last.drain(), 'the end');

    expect(ended).toEqual([other?.id, paused.id]);
    expect((await handle?.result())?.text).toBe('done');
  },
);
