// Owns the search for the place of a syntax error in a module or in its imports: an import's error does not contain it.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Failure, failure } from '../base/failures.ts';
import { placeIn, stackIn } from '../base/stack.ts';

const timeoutMs = 5_000;

/**
 * The failure of a module that did not load, with the place of its syntax error: Node compiles the module and its static
 * imports once more, in processes of their own, and runs none of them. Never rejects.
 */
export async function withSyntaxPlace(url: string, cause: Failure): Promise<Failure> {
  const stack = stackIn(cause);
  if (stack?.startsWith('SyntaxError:') !== true || placeIn(stack) !== null) return cause;
  // Another language is checked by its own loader, whose error has more detail.
  if (!/^file:.*\.[cm]?js(?:[?#].*)?$/.test(url)) return cause;
  const broken = await firstBroken(url);
  const stderr = broken === null ? null : await check(broken);
  const place = stderr === null ? null : placeIn(stderr);
  if (place === null) return cause;
  const { code, message, retryable, detail } = cause;
  return failure(code, `${message} (at ${place})`, {
    retryable,
    detail: { ...detail, stack: `${place}\n${stack}` },
  });
}

/** Prints the first module of the graph that does not compile. Packages are left out, and what is not there. */
const walk = `
import { readFile } from 'node:fs/promises';
import { SourceTextModule, SyntheticModule } from 'node:vm';
const seen = new Map();
async function load(url) {
  const source = /^file:.*\\.m?js(?:[?#].*)?$/.test(url) && await readFile(new URL(url), 'utf8').catch(() => false);
  try {
    if (source !== false) return new SourceTextModule(source, { identifier: url });
  } catch {
    console.log(url);
  }
  return new SyntheticModule([], () => {});
}
function linked(specifier, { identifier }) {
  const isFile = /^(?:\\.{0,2}\\/|file:)/.test(specifier);
  const url = isFile ? new URL(specifier, identifier).href : specifier;
  if (!seen.has(url)) seen.set(url, load(url));
  return seen.get(url);
}
await (await load(process.argv[1])).link(linked);
`;

/** The file of the module, or of one that it imports, that does not compile; null when each of them does. */
async function firstBroken(url: string): Promise<string | null> {
  const flags = ['--experimental-vm-modules', '--no-warnings', '--input-type=module'];
  const { stdout } = await run([...flags, '--eval', walk, url]);
  const [found = ''] = stdout.split('\n', 1);
  return found.startsWith('file:') ? fileURLToPath(found) : null;
}

/** Node's syntax error for the file, checked as the kind of module it is; null when there is none. */
async function check(file: string): Promise<string | null> {
  const { hasFailed, stderr } = await run(['--check', file]);
  return hasFailed ? stderr.split('\n', 1)[0] || null : null;
}

type Run = { readonly hasFailed: boolean; readonly stdout: string; readonly stderr: string };

function run(parameters: readonly string[]): Promise<Run> {
  return new Promise((resolve) => {
    const options = { timeout: timeoutMs, env: {}, windowsHide: true };
    execFile(process.execPath, parameters, options, (error, stdout, stderr) =>
      resolve({ hasFailed: error !== null, stdout, stderr }),
    );
  });
}
