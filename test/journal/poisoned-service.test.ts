// Checks a service with a task that ends its process whenever it runs: it is set aside, and all others go on.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { JournalStore } from '#src/journal/store.js';
import { folderWith } from '../support/command.ts';
import { lifeOf } from './lives.ts';

const program = fileURLToPath(new URL('../fixtures/programs/poisoned-service.js', import.meta.url));

/** One that shows it, one that tries again what was on, three with the suspect alone. */
const maxLives = 6;

it.each([
  ['a tool on the host', ['host']],
  ['a tool in a thread', ['thread']],
  ['a tool of a persistent agent', ['thread', 'agent']],
])(
  'a task that ends its process by %s fails at last, and no other one does (J7)',
  { timeout: 120_000 },
  async (_case, args) => {
    const folder = folderWith();
    const lives: string[] = [];
    while (lives.length < maxLives && lives.at(-1)?.endsWith('done\n') !== true) {
      lives.push(await lifeOf(folder, [program, folder, ...args]));
    }

    const ends = new Set(lives.flatMap((stdout) => stdout.split('\n').slice(0, -1)));
    expect([...ends].sort()).toEqual([
      'done',
      'fatal failed crashed crashed',
      'one completed goal did one',
      'three completed goal did three',
      'two completed goal did two',
    ]);
    expect(lives.length).toBeGreaterThan(3);
    const store = await JournalStore.open(join(folder, 'troupe.db'));
    const { unfinished, ended } = store.stats();
    store.close();
    expect({ unfinished, ended }).toEqual({ unfinished: 0, ended: 4 });
  },
);
