// Checks how the offline model splits files into tasks: nothing twice, nothing left out, nothing too large to be read.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filesIn, planTasks, requestOf } from '#src/models/offline/reading-plan.js';

const name = fc.constantFrom('a', 'b', 'core', 'x y', 'lib');
const path = fc
  .array(name, { minLength: 1, maxLength: 4 })
  .chain((parts) => fc.nat({ max: 60 }).map((at) => `${parts.join('/')}-${at}.ts`));
const paths = fc.uniqueArray(path, { minLength: 1, maxLength: 80 });
const places = fc.record({ limit: fc.integer({ min: 1, max: 9 }), mayNest: fc.boolean() });

describe('planTasks', () => {
  it('gives every file to exactly one task, and the request to each', () => {
    fc.assert(
      fc.property(paths, places, (files, place) => {
        const tasks = planTasks('Say what it owns.', files, place);

        expect(tasks.flatMap(({ goal }) => filesIn(goal)).sort()).toEqual([...files].sort());
        for (const { goal, title } of tasks) {
          expect(requestOf(goal)).toBe('Say what it owns.');
          expect(goal.startsWith(`${title}:\n`)).toBe(true);
        }
      }),
    );
  });

  it('asks for an orchestrator only where it may nest, and gives a leaf no more than it can read', () => {
    fc.assert(
      fc.property(paths, places, (files, place) => {
        for (const { goal, role } of planTasks('Read.', files, place)) {
          const count = filesIn(goal).length;
          if (role === 'orchestrator') {
            expect([place.mayNest, count > 4, count < files.length]).toEqual([true, true, true]);
          } else {
            expect(count).toBeLessThanOrEqual(12);
          }
        }
      }),
    );
  });

  it('takes folders for parts, and cuts one that is too much for a reader', () => {
    const files = ['p/README.md', ...['a', 'b', 'c', 'd', 'e'].map((each) => `p/src/${each}.ts`)];

    const flat = planTasks('Read.', files, { limit: 3, mayNest: false });
    const nested = planTasks('Read.', files, { limit: 3, mayNest: true });

    expect(flat.map(({ title, role }) => [title, role])).toEqual([
      ['p/README.md (1 file)', 'leaf'],
      ['p/src/ 1 of 2 (4 files)', 'leaf'],
      ['p/src/e.ts (1 file)', 'leaf'],
    ]);
    expect(nested.map(({ title, role }) => [title, role])).toEqual([
      ['p/README.md (1 file)', 'leaf'],
      ['p/src/ (5 files)', 'orchestrator'],
    ]);
  });
});

describe('filesIn and requestOf', () => {
  it.each([
    ['Compare a.md with src/b.ts.', ['a.md', 'src/b.ts'], 'Compare a.md with src/b.ts.'],
    ['Read.\n\n# Context\n\nFiles:\n- Makefile\n- x y.ts', ['Makefile', 'x y.ts'], 'Read.'],
    ['src/ (2 files):\nRead.\n\nFiles:\n- a.ts\n- b.ts\n\nmore', ['a.ts', 'b.ts'], 'Read.'],
    ['Look around.', [], 'Look around.'],
  ])('%j', (goal, files, request) => {
    expect(filesIn(goal)).toEqual(files);
    expect(requestOf(goal)).toBe(request);
  });
});
