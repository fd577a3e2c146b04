// Checks the file of a cassette: who may write it, and that a bad one is refused by file and line.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recorded, replayed, scripted } from '#src/testing.js';
import { modelCall, rejection, request } from '../models/support.ts';
import { folderWith, startNode } from '../support/command.ts';
import { twoWorkers } from './cassette-support.ts';

describe('the file', () => {
  const model = () => scripted({ default: [{ text: 'a' }] });

  it('is not recorded over unless told', async () => {
    const file = await twoWorkers();

    expect(() => recorded(model(), { file })).toThrow(
      expect.objectContaining({ code: 'cassette_refused', detail: { file } }),
    );
    recorded(model(), { file, overwrite: true });
    expect(readFileSync(file, 'utf8')).toBe('{"cassette":1,"model":"scripted","price":0}\n');
  });

  it('has one writer: an exchange fails that meets lines of another', async () => {
    const file = join(folderWith(), 'one.jsonl');
    const first = recorded(model(), { file });
    const second = recorded(model(), { file, overwrite: true });
    await second.respond(request(), modelCall());

    expect(await rejection(first.respond(request(), modelCall()))).toMatchObject({
      code: 'cassette_refused',
    });
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(2);
  });

  it.each<[string, (text: string) => string, number]>([
    ['empty', () => '', 1],
    ['cut in its last line', (text) => text.slice(0, -9), 5],
    ['cut by its last line break', (text) => text.slice(0, -1), 5],
    ['not JSON', () => 'once upon a time\n', 1],
    ['not JSON further down', (text) => text.replace('{"agent"', '{agent'), 2],
    ['no cassette', () => '{"a":1}\n', 1],
    ['newer', (text) => text.replace('"cassette":1', '"cassette":2'), 1],
    ['without a digest', (text) => text.replace('"digest"', '"digits"'), 2],
  ])('that is %s is refused by its line', async (_how, spoil, line) => {
    const file = await twoWorkers();
    writeFileSync(file, spoil(readFileSync(file, 'utf8')));

    expect(() => replayed({ file })).toThrow(
      expect.objectContaining({
        code: 'cassette_refused',
        message: expect.stringContaining(`${file}: line ${line} `),
        detail: { file, line },
      }),
    );
  });

  it('that is missing is refused by its name', () => {
    const file = join(folderWith(), 'none.jsonl');

    expect(() => replayed({ file })).toThrow(
      expect.objectContaining({ code: 'cassette_refused', detail: { file } }),
    );
  });

  it.each<[() => unknown, string]>([
    [() => recorded(model(), { file: '' }), 'file'],
    [() => recorded(model(), { path: 'a' } as never), 'path'],
    [() => recorded(model(), { file: 'a', mask: 'b' } as never), 'mask'],
    [
      () => replayed({ file: 'a', changes: [{ agent: 'a', turn: 0, reply: {} }] }),
      'changes.0.turn',
    ],
  ])('is not touched by bad options: %s', (act, field) => {
    expect(act).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        detail: expect.objectContaining({ field }),
      }),
    );
  });

  it('is not made for a model that there is none of', () => {
    const file = join(folderWith(), 'none.jsonl');

    expect(() => recorded('gpt', { file })).toThrow(
      expect.objectContaining({ code: 'model_unknown' }),
    );
    expect(() => readFileSync(file)).toThrow('ENOENT');
  });

  it('has every exchange that was answered when its process is killed', async () => {
    const cwd = folderWith();
    const program = `
      import { recorded, scripted } from ${JSON.stringify(new URL('../../dist/src/testing.js', import.meta.url).href)};
      const model = recorded(scripted({ default: [{ text: 'a', repeat: true }] }), { file: 'one.jsonl' });
      const asked = ${JSON.stringify(request())};
      const call = { signal: new AbortController().signal, onDelta() {} };
      for (const turn of [1, 2, 3]) await model.respond({ ...asked, turn }, call);
      process.kill(process.pid, 'SIGKILL');
    `;

    const { code, stderr } = await startNode(['--input-type=module', '--eval', program], { cwd })
      .ended;

    expect({ code, stderr }).toEqual({ code: null, stderr: '' });
    const tape = replayed({ file: join(cwd, 'one.jsonl') });
    for (const turn of [1, 2, 3]) await tape.respond(request({ turn }), modelCall());
    tape.assertConsumed();
  });
});
