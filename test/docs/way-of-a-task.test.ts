// Checks that a task goes the way that docs/architecture.md says: the files that decide, perform and report, and no others.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { afterEach, expect, test } from 'vitest';
import { createSupervisor } from '#src/index.js';

const session = new Session();

afterEach(() => session.disconnect());

/** Files of `src/` of which a function was entered since this was called last. */
async function entered(): Promise<readonly string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result.flatMap(({ url, functions }) => {
    const file = /\/dist\/src\/(.*)\.js$/.exec(url)?.[1];
    // A module's own scope has no name.
    const isEntered = functions.some(
      ({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0,
    );
    return file !== undefined && isEntered ? [`src/${file}.ts`] : [];
  });
}

/** Where it is decided what becomes of tasks, and done: every other file of `tasks/` is data, or a service. */
const onTheWay = /^src\/tasks\/(decide\/.*|task-scheduler|effects|actor-reports)\.ts$/;

test('a task enters the files of its way in the page on the architecture, and no other decides', async () => {
  const page = readFileSync('docs/architecture.md', 'utf8');
  const from = page.indexOf('## The way of a task');
  const way = page.slice(from, page.indexOf('A persistent agent', from));
  const named = [...way.matchAll(/\]\(\.\.\/(src\/[^)]*)\)/g)].map(([, path]) => path as string);
  await using supervisor = createSupervisor({
    model: 'offline',
    threads: { parking: 'when-needed' },
  });
  await supervisor.delegate({ goal: 'warm the thread' });
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await entered();

  const handle = supervisor.start({ goal: 'one task' });
  const atTheCall = await entered();
  await handle.result();
  const afterIt = await entered();

  const decided = [...new Set([...atTheCall, ...afterIt])].filter((path) => onTheWay.test(path));
  expect(decided.sort()).toEqual(named.filter((path) => onTheWay.test(path)).sort());
  // Its actor has begun when the call returns; what the thread reports comes after.
  expect(atTheCall).toContain('src/tasks/decide/begin.ts');
  expect(atTheCall).not.toContain('src/tasks/actor-reports.ts');
  expect(afterIt).toContain('src/tasks/decide/end.ts');
});
