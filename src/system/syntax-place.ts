// Owns the search for the place of a syntax error in a module: Node names it to nobody who imports the module.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Failure, failure } from '../errors.ts';
import { placeIn, stackIn } from '../stack.ts';

const timeoutMs = 5_000;

/**
 * The failure of a module that did not load, with the place of its syntax error where that is in the module itself: Node
 * reads the file once more, in a process of its own, and runs none of it. Never rejects.
 */
export async function withSyntaxPlace(url: string, cause: Failure): Promise<Failure> {
  const stack = stackIn(cause);
  if (stack?.startsWith('SyntaxError:') !== true || placeIn(stack) !== null) return cause;
  // Another language is checked by its own loader, which says more.
  if (!/^file:.*\.[cm]?js$/.test(url)) return cause;
  const said = await check(fileURLToPath(url));
  const place = said === null ? null : placeIn(said);
  if (place === null) return cause;
  const { code, message, retryable, detail } = cause;
  return failure(code, `${message} (at ${place})`, {
    retryable,
    detail: { ...detail, stack: `${place}\n${stack}` },
  });
}

/** What Node says against the file; null when it has nothing to say. */
function check(file: string): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { timeout: timeoutMs, env: {}, windowsHide: true };
    execFile(process.execPath, ['--check', file], options, (error, _stdout, stderr) =>
      resolve(error === null ? null : stderr.split('\n', 1)[0] || null),
    );
  });
}
