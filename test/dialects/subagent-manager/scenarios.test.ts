// Checks the manager end to end, from a loop of the program with children on real threads: A83 and A85 as the source tells them.
import { describe, expect, it } from 'vitest';
import { gate } from '../../supervisor/support.ts';
import { rig, textsOf } from './rig.ts';

describe('a chat of two runs', () => {
  it('keeps a protected agent and what it remembers, and no other (A83, A73, A56)', async () => {
    const { model, session, create, hand, call, offered } = rig({ first: [{ text: 'noted' }] });
    await create('keeper');
    await create('passer');
    await call('manage_subagent_protection', { name: 'keeper', protected: true });
    expect(await hand('keeper', 'first')).toEqual(['noted', false]);

    const end = session.endRun();
    const second = await hand('keeper', 'second');

    expect(end).toMatchObject({ removed: ['passer'], kept: ['keeper'] });
    expect(offered()).toContain('transfer_to_keeper');
    expect(offered()).not.toContain('transfer_to_passer');
    expect(second[1]).toBe(false);
    expect(textsOf(model.requests().at(-1))).toEqual(['first', 'noted', 'second']);
  });
});

describe('three poets', () => {
  it('overlap, one is asked again in between, and every result is collected (A85, A43, A49)', async () => {
    const spring = gate();
    const summerly = gate();
    const autumn = gate();
    const { model, watch, create, hand, send, wait } = rig({
      spring: [{ after: spring.opened, text: 'green' }],
      summer: [{ after: summerly.opened, text: 'gold' }],
      autumn: [{ after: autumn.opened, text: 'red' }],
    });
    const names = ['ada', 'ben', 'cleo'];
    for (const name of names) expect((await create(name))[1]).toBe(false);

    const started = [
      await send('ada', 'spring'),
      await send('ben', 'summer'),
      await send('cleo', 'autumn'),
    ];
    for (const id of ['t1', 't2', 't3']) {
      await watch.next('task_started', ({ taskId }) => taskId === id);
    }
    const ended = watch.of('task_completed');
    summerly.open();
    const summer = await wait('ben');
    const again = await hand('ben', 'winter');
    spring.open();
    autumn.open();
    const others = [await wait('ada', { task_id: '1' }), await wait('cleo')];
    const latest = await wait('ben');

    expect(started.map(([text]) => /subagent_task_id: 1\n/.test(text))).toEqual([true, true, true]);
    expect(summer[0]).toMatch(/"ben", task 1, completed after [\d.]+ s[\s\S]*gold$/);
    expect(again).toEqual(['winter done', false]);
    expect(others.map(([text]) => text.split('\n').at(-1))).toEqual(['green', 'red']);
    expect(latest[0]).toMatch(/task 1, .*No task of it is pending[\s\S]*gold$/);
    expect(ended, 'all three run before one ends').toEqual([]);
    expect(textsOf(model.requests('winter')[0])).toEqual(['summer', 'gold', 'winter']);
  });
});
