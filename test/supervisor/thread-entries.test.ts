// Checks that a thread which never comes up is told, not waited for: the caller gets its end (S8).
import { describe, expect, it } from 'vitest';
import { answered, calls, supervise, toolFixture, within } from './support.ts';

const entry = (name: string) => new URL(`../fixtures/entries/${name}.js`, import.meta.url);
const steps = { default: [{ text: 'done' }] };

describe('a thread entry', () => {
  it.each([
    ['that is not there', new URL('file:///no/such/entry.js'), '/no/such/entry.js'],
    ['that throws while it loads', entry('throws'), 'this entry throws'],
    ['that exits while it loads', entry('exits'), 'exited before it was ready'],
  ])('%s fails every task that would need it (S8)', async (_what, workerUrl, expected) => {
    const { supervisor } = supervise(steps, { threads: { workerUrl } });

    const outcomes = await within(
      supervisor.delegate([{ goal: 'a' }, { goal: 'b' }, { goal: 'c' }]),
      'the outcomes',
    );

    for (const { status, error } of outcomes) {
      expect(status).toBe('failed');
      expect(error).toMatchObject({ code: 'spawn_failed' });
      expect(error?.message).toContain(expected);
    }
  });

  it('is imported: a thread that is ended while it requires an ES module takes the process with it (S8)', async () => {
    const { supervisor, model } = supervise(calls('required'), {
      tools: [toolFixture('required')],
    });

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    const [[text = ''] = []] = answered(model);
    const { all, esModules } = JSON.parse(text);
    expect(all).toContain('entry.cjs');
    expect(esModules).toEqual([]);
  });
});
