// Counts which functions of the library the host enters, and how often. Leaves out threads, whose code is bundled.
import { Session } from 'node:inspector/promises';
import type { Figures } from './figures.ts';
import type { Meter } from './meter.ts';

/** `library` is the address of the folder that the library is loaded from. */
export async function functionMeter(library: string): Promise<Meter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  /** By file and where in it the function begins: `tasks/run.js 1024`. */
  const calls: Record<string, number> = {};
  return {
    prepare: async () => {},
    read: async () => {
      // Counts since the last time.
      const { result } = await session.post('Profiler.takePreciseCoverage');
      for (const { url, functions } of result) {
        if (!url.startsWith(library)) continue;
        for (const { ranges } of functions) {
          const [range] = ranges;
          const name = `${url.slice(library.length)} ${range?.startOffset}`;
          calls[name] = (calls[name] ?? 0) + (range?.count ?? 0);
        }
      }
      return { ...calls };
    },
    report: summary,
  };
}

/** `functions`, `files`, `calls`, and by folder of the library `functions tasks`, `files tasks`. */
function summary(cost: Figures): Figures {
  const figures: Record<string, number> = { functions: 0, files: 0, calls: 0 };
  const files = new Set<string>();
  const count = (name: string): void => {
    figures[name] = (figures[name] ?? 0) + 1;
  };
  for (const [name, calls] of Object.entries(cost)) {
    figures['calls'] = (figures['calls'] ?? 0) + calls;
    // What runs now and then only, such as a sweep, is no part of one thing.
    if (calls < 0.5) continue;
    const [file = ''] = name.split(' ');
    const [folder = ''] = file.split('/');
    count('functions');
    count(`functions ${folder}`);
    if (files.has(file)) continue;
    files.add(file);
    count('files');
    count(`files ${folder}`);
  }
  return figures;
}
