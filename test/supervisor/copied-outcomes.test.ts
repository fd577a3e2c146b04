// Checks that each reader of an outcome has its own: what one changes in it, no other sees, nor the supervisor.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type Outcome, type TroupeEvent } from '#src/index.js';
import { supervise, Watch, within } from './support.ts';

const schema = z.object({ items: z.array(z.object({ text: z.string() })) });
const answer = {
  toolCalls: [{ name: 'generate_response', input: { items: [{ text: 'as answered' }] } }],
};

/** Changes every text in an outcome, and what a map or a date in it says. */
function spoil(value: unknown): void {
  if (value instanceof Map) value.set('x', 'CHANGED');
  if (value instanceof Date) value.setTime(0);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (typeof part === 'string') Object.assign(value, { [key]: 'CHANGED' });
    spoil(part);
  }
}

const metadata = () => ({
  note: { text: 'as given' },
  map: new Map([['x', 'y']]),
  at: new Date(7),
});
const task = { goal: 'Go.', outputSchema: schema };
const wanted = { metadata: metadata(), structured: { items: [{ text: 'as answered' }] } };

it('one reader’s outcome is no handle on another’s, the archive’s or the events’ (C47)', async () => {
  const { supervisor } = supervise({ default: [answer] });
  const received: Outcome[] = [];
  supervisor.on('task_completed', ({ outcome }) => spoil(outcome));
  supervisor.on('task_completed', ({ outcome }) => received.push(outcome));
  const handle = supervisor.start({ ...task, metadata: metadata() });

  spoil(await within(handle.result(), 'the outcome'));

  expect(received).toEqual([expect.objectContaining(wanted)]);
  for (const _ of [1, 2]) {
    const events = supervisor.events({ afterSeq: 0, types: ['task_completed'] });
    const { value } = await within(events.next(), 'the event');
    await events.return?.();
    expect((value as TroupeEvent<'task_completed'>).outcome).toMatchObject(wanted);
    spoil(value);
  }
});

it('what a run had is no handle either: receipts, partial work, ends in the background (C47)', async () => {
  const { supervisor } = supervise({ default: [{ text: 'half', hang: true }] });
  const watch = new Watch(supervisor);
  const session = supervisor.session('chat');
  const handle = session.start({ goal: 'Go.', metadata: metadata() });
  await watch.next('turn_started');

  const receipts = await within(handle.interrupt(), 'the receipts');
  spoil(receipts);
  spoil(await handle.result());
  spoil(session.completions());

  const [completion] = session.completions();
  expect(completion?.outcome).toMatchObject({ status: 'interrupted', metadata: metadata() });
  expect(JSON.stringify(completion?.outcome.partial)).not.toContain('CHANGED');
  const waited = await within(session.wait(handle.id), 'the end');
  expect(JSON.stringify(waited?.outcome)).not.toContain('CHANGED');
});

it('what a tool of the service makes of its children’s outcomes is its own (C47)', async () => {
  const spoils = defineTool({
    name: 'spoils',
    description: 'Delegates.',
    input: z.object({}),
    run: async (_, tool) => {
      const outcomes = await tool.delegate([{ ...task, agent: 'child' }]);
      spoil(outcomes);
      return 'done';
    },
  });
  const { supervisor } = supervise(
    {
      agents: {
        parent: [{ toolCalls: [{ name: 'spoils', input: {} }] }, { text: 'done' }],
        child: [answer],
      },
    },
    { tools: [spoils], agents: [{ name: 'parent' }, { name: 'child', tools: [] }] },
  );

  await within(supervisor.delegate({ goal: 'Go.', agent: 'parent' }), 'the outcome');

  const events = supervisor.events({ afterSeq: 0, types: ['task_completed'] });
  const { value } = await within(events.next(), 'the event');
  expect((value as TroupeEvent<'task_completed'>).outcome.structured).toEqual(wanted.structured);
  expect(JSON.stringify(supervisor.tree({ ended: true }))).not.toContain('CHANGED');
});
