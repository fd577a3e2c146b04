// Checks handing work over in the foreground: what the child is told, what comes back, limits on time, status.
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '#src/testing.js';
import { gate } from '../../supervisor/support.ts';
import { folder, on, rig, rigInManualTime, textsOf } from './rig.ts';

describe('transfer_to_<name>', () => {
  it('takes input and background_task, and answers with the child’s final text (A41)', async () => {
    const { tools, create, hand } = rig({ go: [{ text: 'the answer' }] });
    await create('ada');
    const tool = tools.definitions.jsonSchema.find(({ name }) => name === 'transfer_to_ada');

    expect(Object.keys(tool?.schema['properties'] ?? {})).toEqual(['input', 'background_task']);
    expect(tool?.schema['required']).toEqual(['input']);
    expect(await hand('ada', 'go')).toEqual(['the answer', false]);
  });

  it('takes images where the program says what their names mean, in the background too', async () => {
    const photo = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
    } as const;
    const imageOf = async (url: string) => {
      if (url !== 'photo-1') throw new Error(`there is no ${url}`);
      return photo;
    };
    const { create, call, wait, model } = rig({}, { options: { imageOf } });
    await create('ada');
    const hand = (input: string, image_urls: unknown, more: object = {}) =>
      call('transfer_to_ada', { input, image_urls, ...more });

    expect(await hand('look', ['photo-1'])).toEqual(['look done', false]);
    expect(await hand('nothing', ['photo-2'])).toEqual([
      expect.stringContaining('there is no photo-2'),
      true,
    ]);
    await hand('again', ['photo-1'], { background_task: true });
    expect(await wait('ada')).toEqual([expect.stringContaining('again done'), false]);
    expect(await hand('plain', null)).toEqual(['plain done', false]);

    for (const goal of ['look', 'again']) {
      expect(model.requests(goal)[0]?.messages.at(-1)?.content).toContainEqual(photo);
    }
    expect(model.requests('nothing')).toEqual([]);
    expect(model.requests('plain')[0]?.messages.at(-1)?.content).toHaveLength(1);
  });

  it('of a removed agent is an error result (A36)', async () => {
    const { create, hand, call } = rig();
    await create('ada');
    await call('remove_subagent', { name: 'ada' });

    expect(await hand('ada', 'go')).toEqual([
      expect.stringMatching(/no tool "transfer_to_ada"/),
      true,
    ]);
  });

  it('makes the agent’s folder again when somebody deleted it, and takes its own for another (A63)', async () => {
    const asked = folder();
    const { create, hand, manager, watch } = rig({}, { options: { workdirs: [dirname(asked)] } });
    await create('ada');
    await create('ben', { workdir: asked });
    const own = manager.find('ada')?.made.workspace ?? '';
    for (const path of [own, asked]) rmSync(path, { recursive: true });

    const handed = [await hand('ada', 'a'), await hand('ben', 'b')];

    expect(handed).toEqual([
      ['a done', false],
      ['b done', false],
    ]);
    expect([existsSync(own), existsSync(asked)]).toEqual([true, false]);
    expect(manager.find('ben')?.made.workspace).toMatch(/ben$/);
    expect(watch.of('log')).toMatchObject([
      { message: expect.stringMatching(/^subagent "ben": .*there is no such folder/) },
    ]);
  });

  it('says of a child that failed that it did, and the agent goes on with the next task (A34)', async () => {
    const { create, hand, manager } = rig({ bad: [{ fail: 'the model is down' }] });
    await create('ada');

    const failed = await hand('ada', 'bad');
    const status = manager.status('ada');

    expect(failed).toEqual([expect.stringMatching(/^error: subagent "ada" failed: .*down/), true]);
    expect(status).toBe('FAILED');
    expect(await hand('ada', 'good')).toEqual(['good done', false]);
  });

  it('gives the text of an agent that used its turns up first, and the reason beside it (A42)', async () => {
    const half = [{ text: 'Half of it.', calls: [['nope', {}] as const] }];
    const { create, hand, send, wait, manager } = rig(
      { one: half, two: half },
      { supervisor: { budget: { maxTurns: 1 } } },
    );
    await create('ada');

    const handed = await hand('ada', 'one');
    await send('ada', 'two');
    const [waited] = await wait('ada');

    expect(handed).toEqual([
      expect.stringMatching(/^Half of it\.\n\n\[It may be incomplete: /),
      false,
    ]);
    expect(waited).toContain('Half of it.\n\n[It may be incomplete: ');
    expect(waited).not.toContain('failed');
    expect(manager.status('ada')).toBe('COMPLETED');
  });

  it('asks an agent with turns of its own for a closing answer when they are used up', async () => {
    const { manager, hand } = rig({ one: [{ calls: [['nope', {}]] }] });
    await manager.create({ name: 'ada', maxTurns: 1, closingAnswer: true });

    expect(await hand('ada', 'one')).toEqual([
      expect.stringMatching(
        /^Your turns are used up\..* done\n\n\[It may be incomplete: .*1 turns/,
      ),
      false,
    ]);
  });

  it('stops a run at its limit, says so, warns, and takes the next task (A34, A16, A42, X10)', async () => {
    const config = { ...on, execution_timeout: 2.5 };
    const { create, hand, manager, clock, watch } = rigInManualTime(
      { long: [{ hang: true }] },
      { config },
    );
    await create('ada');
    const result = hand('ada', 'long');
    await watch.next('turn_started');
    expect(manager.status('ada')).toBe('RUNNING');

    await clock.advance(2_500);

    expect(await result).toEqual([
      'error: subagent "ada" did not finish within 2.5 s and was stopped',
      true,
    ]);
    expect(manager.status('ada')).toBe('FAILED');
    expect(watch.of('log')).toMatchObject([
      { level: 'warn', sessionId: 'chat', message: expect.stringMatching(/"ada".* 2\.5 s/) },
    ]);
    expect(await hand('ada', 'short')).toEqual(['short done', false]);
  });

  it('without a limit a run outlasts every default (A35, X1)', async () => {
    const { opened, open } = gate();
    const { create, hand, clock, watch } = rigInManualTime(
      { long: [{ after: opened, text: 'at last' }] },
      {
        config: { ...on, execution_timeout: -1 },
        supervisor: { timeouts: { totalTimeoutMs: 10 } },
      },
    );
    await create('ada');
    const result = hand('ada', 'long');
    await watch.next('turn_started');

    await clock.advance(7_200_000);
    open();

    expect(await result).toEqual(['at last', false]);
  });

  it('an agent’s own limit holds where it was said, and its default where not does not (X1, A20)', async () => {
    const { manager, hand, clock, watch } = rigInManualTime({ long: [{ hang: true }] });
    await manager.create({ name: 'ada', executionTimeoutMs: 1_000 });
    await manager.create({ name: 'ben' });
    const own = hand('ada', 'long');
    await watch.next('turn_started');
    await clock.advance(1_000);
    expect((await own)[0]).toMatch(/within 1\.0 s/);
    const all = hand('ben', 'long');
    await watch.next('turn_started', ({ taskId }) => taskId === 't2');

    await clock.advance(1_199_999);
    expect(manager.status('ben')).toBe('RUNNING');
    await clock.advance(1);

    expect((await all)[0]).toMatch(/within 1200\.0 s/);
  });

  it('ends the child when its call is given up, and the agent can be asked again (S5)', async () => {
    const { create, call, hand, watch, manager } = rig({ long: [{ hang: true }] });
    await create('ada');
    const control = new AbortController();
    const result = call('transfer_to_ada', { input: 'long' }, { signal: control.signal });
    await watch.next('turn_started');

    control.abort();

    expect((await result)[1]).toBe(true);
    await watch.next('task_completed', ({ outcome }) => outcome.status === 'interrupted');
    expect(manager.status('ada')).toBe('FAILED');
    expect(await hand('ada', 'go')).toEqual(['go done', false]);
  });

  it('status is IDLE, RUNNING, COMPLETED or FAILED (A23, A42, A54)', async () => {
    const { opened, open } = gate();
    const { create, hand, manager, watch } = rig({ go: [{ after: opened, text: 'x' }] });
    await create('ada');
    const fresh = manager.status('ada');
    const result = hand('ada', 'go');
    await watch.next('turn_started');
    const during = manager.statuses();
    open();
    await result;

    expect([fresh, during, manager.status('ada')]).toEqual([
      'IDLE',
      { ada: 'RUNNING' },
      'COMPLETED',
    ]);
    expect(manager.setStatus('ada', 'IDLE')).toBe(true);
    expect(manager.statuses()).toEqual({ ada: 'IDLE' });
    expect([manager.status('nobody'), manager.setStatus('nobody', 'IDLE')]).toEqual([null, false]);
    expect(() => manager.setStatus('ada', 'DONE' as never)).toThrow(/status is "DONE"/);
  });
});

describe('what a child is told', () => {
  const skills = [
    { name: 'knitting', description: 'How to knit.' },
    { name: 'cooking', description: 'How to cook.' },
  ];

  it('role, folder, behaviour, skills, in this order, and no skill of another (A37, A58, A59, A61)', async () => {
    const { create, hand, model } = rig({}, { supervisor: { skills } });
    await create('ada', { skills: ['knitting'] });
    await create('ben');

    await hand('ada', 'a');
    await hand('ben', 'b');

    const system = model.requests('a')[0]?.system ?? '';
    const parts = [
      'You are the agent ada',
      'You are ada.',
      '# Working Directory',
      '# Behaviour',
      '# Skills',
    ];
    const places = parts.map((part) => system.indexOf(part));
    expect(places.every((at) => at >= 0)).toBe(true);
    expect(places).toEqual([...places].sort((one, two) => one - two));
    expect(system).toContain('How to knit.');
    expect(system).not.toContain('cook');
    expect(model.requests('b')[0]?.system).not.toContain('# Skills');
  });

  it('rules of the configuration stand for the built-in ones (A8)', async () => {
    const { create, hand, model } = rig({}, { config: { ...on, rule_prompt: 'Be brief.' } });
    await create('ada');
    await hand('ada', 'a');

    expect(model.requests('a')[0]?.system).toContain('Be brief.');
    expect(model.requests('a')[0]?.system).not.toContain('# Behaviour');
  });

  it('the time, in the configured zone, on the user’s side, where it is on (A11, A60, A38)', async () => {
    const clock = new ManualClock(Date.UTC(2026, 10, 21, 18, 43));
    const config = { ...on, timeEnabled: true, timeZone: 'Europe/Berlin' };
    const { create, hand, model, manager } = rig({}, { config, supervisor: { clock } });
    await create('ada');

    await hand('ada', 'a');
    await clock.advance(60_000);
    await hand('ada', 'b');
    manager.configure(on);
    await create('ada');
    await hand('ada', 'c');

    const [a, b, c] = ['a', 'b', 'c'].map((goal) => model.requests(goal)[0]);
    expect(textsOf(a).at(-1)).toBe('a\n\n# Current Time\n\n2026-11-21 19:43 (GMT+1)');
    expect(textsOf(b).at(-1)).toContain('19:44');
    expect(b?.system).toBe(a?.system);
    expect(a?.system).not.toContain('# Current Time');
    expect(textsOf(c).join()).not.toContain('# Current Time');
  });

  it('has no tool to manage or hand work to subagents (X4, X6)', async () => {
    const { create, hand, model } = rig();
    await create('ada');
    await hand('ada', 'a');

    expect(model.requests('a')[0]?.tools).toEqual([]);
  });
});
