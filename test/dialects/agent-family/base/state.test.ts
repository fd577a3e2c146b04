// Checks the state of agents: registered fields alone, through stores in memory and in files; the base knows no subagent.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { JsonStateStore } from '#src/dialects/agent-family/base/json-state-store.js';
import { Memory } from '#src/dialects/agent-family/base/memory.js';
import {
  loadState,
  MemoryStateStore,
  prefixedStore,
  saveState,
} from '#src/dialects/agent-family/base/state-store.js';
import { parseSource } from '../../../architecture/source.ts';
import { textOf, typescriptBelow } from '../../../architecture/tree.ts';
import { rejection } from '../../../supervisor/support.ts';
import { contents, msg, Parrot } from '../support.ts';

const folder = await mkdtemp(join(tmpdir(), 'troupe-state-'));
afterAll(() => rm(folder, { recursive: true }));

class Keeper extends Parrot {
  mood = 'good';
  secret = 'none';
  readonly memory = new Memory();
  born: Date = new Date(0);

  constructor(name: string) {
    super({ name });
    this.registerState('mood');
    this.registerState('memory');
    this.registerState('born', {
      save: (born: Date) => born.getTime(),
      load: (at: number) => new Date(at),
    });
  }
}

it('refuses to load what a field that is only read would lose (D11)', () => {
  class Counted extends Parrot {
    get observedCount(): number {
      return this.observed.length;
    }
  }
  const counted = new Counted({ name: 'counted' });
  counted.registerState('observedCount');

  expect(() => counted.loadStateDict({ observedCount: 3 })).toThrow(
    expect.objectContaining({
      code: 'invalid_options',
      message: 'loadStateDict: field observedCount cannot be set to 3',
    }),
  );
});

const stores = [
  ['in memory', new MemoryStateStore()],
  ['in files', new JsonStateStore(join(folder, 'made', 'when-needed'))],
] as const;

describe.each(stores)('state %s', (_, store) => {
  it('saves and restores registered fields, and no others (D11)', async () => {
    const keeper = new Keeper('keeper');
    keeper.memory.add([msg('one'), msg('two')]);
    const kept = keeper.memory.messages();
    await saveState(store, 'chat/1', { keeper });
    keeper.mood = 'bad';
    keeper.secret = 'known';
    keeper.born = new Date(5);
    keeper.memory.clear();

    expect(await loadState(store, 'chat/1', { keeper })).toBe(true);

    expect(keeper).toMatchObject({ mood: 'good', secret: 'known', born: new Date(0) });
    expect(keeper.memory.messages()).toEqual(kept);
    expect(await loadState(store, 'chat/2', { keeper })).toBe(false);
  });

  it('loads nothing when a module is missing, and keeps keys apart (D11)', async () => {
    const [a, b] = [new Keeper('a'), new Keeper('b')];
    await saveState(store, 'only', { a });
    a.mood = 'bad';

    const error = await rejection(loadState(store, 'only', { a, b }));

    expect(error).toMatchObject({
      code: 'invalid_options',
      message: expect.stringMatching(/has no "b"; it has: a/),
    });
    expect(a.mood).toBe('bad');
    await saveState(prefixedStore(store, 'sub:'), 'only', { b });
    expect(await loadState(store, 'only', { a })).toBe(true);
    expect(await loadState(prefixedStore(store, 'sub:'), 'only', { b })).toBe(true);
    expect(a.mood).toBe('good');
  });

  it('what is saved does not change with what it was taken from (D11)', async () => {
    const state = { list: [1] };
    await store.save('copy', state);
    state.list.push(2);

    expect(await store.load('copy')).toEqual({ list: [1] });
  });
});

describe('state', () => {
  it('refuses a field there is not, data that is not plain, and a state that is none (D11)', () => {
    const keeper = new Keeper('keeper');

    expect(() => keeper.registerState('nowhere')).toThrow(/there is no field nowhere/);
    Reflect.set(keeper, 'mood', () => 'a function');
    expect(() => keeper.stateDict()).toThrow(expect.objectContaining({ code: 'not_serializable' }));
    expect(() => keeper.loadStateDict([] as never)).toThrow(/a state is an object/);
    expect(() => keeper.memory.loadStateDict({ messages: [{ id: 1 }] })).toThrow(
      /messages.0.id is 1/,
    );
  });

  it('a file per key, whatever the key, and no half of one (D11)', async () => {
    const store = new JsonStateStore(join(folder, 'keys'));
    const keys = fc.uniqueArray(fc.string({ maxLength: 20 }), { minLength: 1, maxLength: 8 });

    await fc.assert(
      fc.asyncProperty(keys, async (names) => {
        await Promise.all(names.map((name) => store.save(name, { name })));
        for (const name of names) expect(await store.load(name)).toEqual({ name });
      }),
      { numRuns: 25 },
    );
    const left = (await readdir(join(folder, 'keys'))).filter((name) => !name.endsWith('.json'));
    expect(left).toEqual([]);
  });

  it('two stores of one folder may save one key at once, and what cannot be put there leaves nothing (D11)', async () => {
    const shared = join(folder, 'shared');
    const [one, two] = [new JsonStateStore(shared), new JsonStateStore(shared)];
    const large = (from: string) => ({ from, list: Array.from({ length: 20_000 }, () => from) });

    for (let round = 0; round < 5; round += 1) {
      await Promise.all([one.save('chat', large('one')), two.save('chat', large('two'))]);
      expect(['one', 'two']).toContain((await one.load('chat'))?.['from']);
    }
    await mkdir(join(shared, 'taken.json', 'inside'), { recursive: true });
    await rejection(one.save('taken', {}));

    expect((await readdir(shared)).sort()).toEqual(['chat.json', 'taken.json']);
  });

  it('saves of one key follow each other, and bad files and values are named (D11)', async () => {
    const store = new JsonStateStore(folder);

    await Promise.all([1, 2, 3].map((turn) => store.save('turns', { turn })));

    expect(await store.load('turns')).toEqual({ turn: 3 });
    await writeFile(join(folder, 'bad.json'), '[1');
    expect(await rejection(store.load('bad'))).toMatchObject({
      message: expect.stringMatching(/bad.json holds no state/),
    });
    expect(await rejection(store.save('map', { a: { b: new Map() } }))).toMatchObject({
      code: 'invalid_options',
      message: expect.stringMatching(/JSON cannot hold a.b/),
    });
    expect(() => new JsonStateStore('')).toThrow(/path of a folder/);
  });
});

describe('memory', () => {
  it('holds each message once, in order, and can be annotated (D14)', () => {
    const memory = new Memory();
    const [one, two] = [msg('one'), msg('two')];
    memory.add([one, two, one]);
    memory.add(one);
    memory.add(null);

    memory.annotate(two.id, { seen: true });

    expect(contents(memory.messages())).toEqual(['one', 'two']);
    expect(memory.messages()[1]?.metadata).toEqual({ seen: true });
    expect(two.metadata).toEqual({});
    expect(memory.delete([one.id, 'nobody'])).toBe(1);
    expect(() => memory.annotate(one.id, {})).toThrow(/has no message/);
  });
});

it('the base knows nothing of subagents: no word of them, no import of what builds on it (D12)', () => {
  const files = typescriptBelow('src').filter((path) => path.includes('agent-family/base/'));
  const sources = files.map((path) => parseSource(path, textOf(path)));

  expect(files.length).toBeGreaterThan(10);
  expect(
    sources.filter(({ text }) =>
      /subagent|ReAct|UserAgent|instanceof (?!AgentBase|Error)/i.test(text),
    ),
  ).toEqual([]);
  const above = sources.flatMap(({ path, imports }) =>
    imports.filter(({ specifier }) => /\.\.\/(react|user|sub)/.test(specifier)).map(() => path),
  );
  expect(above).toEqual([]);
});
