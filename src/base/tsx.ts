// Owns where the loader `tsx` is: the one a process was started with, or the one installed beside a module. Loads nothing.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const loaderFlag = /^(?:-r|--require|--import|--loader|--experimental-loader)$/;

/** The address of the API of tsx when a process was started with it, by its flags or `NODE_OPTIONS`; else null. */
export function tsxOfProcess({
  execArgv,
  env,
  cwd,
}: Pick<NodeJS.Process, 'execArgv' | 'env' | 'cwd'>): string | null {
  const flags = [...execArgv, ...(env['NODE_OPTIONS'] ?? '').split(/\s+/)];
  const words = flags.flatMap((flag) => flag.split(/(?<=^--[a-z-]+)=/));
  for (const [at, word] of words.entries()) {
    const named = words[at + 1];
    if (!loaderFlag.test(word) || named === undefined) continue;
    if (/^tsx(?:\/|$)/.test(named)) return tsxBeside(join(cwd(), 'program.js'));
    if (/[/\\]tsx[/\\]dist[/\\]/.test(named)) {
      return tsxBeside(named.startsWith('file:') ? fileURLToPath(named) : named);
    }
  }
  return null;
}

/** The address of the API of the tsx that a file would import; null when there is none. */
export function tsxBeside(file: string): string | null {
  try {
    const required = createRequire(file).resolve('tsx/esm/api');
    // What is required is the build for CommonJS, which cannot find its own hooks.
    return pathToFileURL(required.replace(/\.cjs$/, '.mjs')).href;
  } catch {
    // It is not installed.
    return null;
  }
}
