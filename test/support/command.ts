// Owns the built command as a child process in a folder of its own, followed by what it prints. For tests of the CLI.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEveryTest } from './after-every-test.ts';

/** The built command. */
export const bin = fileURLToPath(new URL('../../dist/lib/cli.js', import.meta.url));

export type Ended = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

/** A process that runs; whoever waits for words of it gets them, or its end as an error. */
export class Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  #stdout = '';
  #stderr = '';
  #listeners = new Set<() => void>();
  #isOver = false;

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.#stdout += text;
      this.#changed();
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.#stderr += text;
      this.#changed();
    });
    this.ended = once(child, 'close').then(([code]) => {
      this.#isOver = true;
      this.#changed();
      return { code, stdout: this.#stdout, stderr: this.#stderr };
    });
  }

  get text(): string {
    return this.#stdout + this.#stderr;
  }

  /** Resolves when the words have been printed, on either stream. */
  async says(text: string | RegExp): Promise<void> {
    const isGiven = (): boolean => this.text.search(text) >= 0;
    while (!isGiven()) {
      if (this.#isOver) throw new Error(`ended without saying ${String(text)}:\n${this.text}`);
      await new Promise<void>((resolve) => this.#listeners.add(resolve));
    }
  }

  #changed(): void {
    for (const resolve of this.#listeners) resolve();
    this.#listeners.clear();
  }
}

/** A folder that is gone after the test, with these files in it. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-cli-'));
  folders.add(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const folders = new Set<string>();
const running = new Set<ChildProcess>();

afterEveryTest(async () => {
  for (const child of running) {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
});

type StartOptions = {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether a test writes its standard input. Default: there is none. */
  readonly hasInput?: boolean;
};

/** Starts a command in a folder; no key of the machine reaches it. It is killed with its test. */
export function start(
  command: string,
  args: readonly string[],
  { cwd, env = {}, hasInput = false }: StartOptions,
): Running {
  const { ANTHROPIC_API_KEY: _key, ANTHROPIC_BASE_URL: _url, ...inherited } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { ...inherited, ...env },
    stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  return new Running(child);
}

/** Starts a script of Node's. */
export function startNode(args: readonly string[], options: StartOptions): Running {
  return start(process.execPath, args, options);
}

/** Starts `troupe` with these arguments. */
export function startTroupe(args: readonly string[], options: StartOptions): Running {
  return startNode([bin, ...args], options);
}

export function troupe(args: readonly string[], cwd: string): Promise<Ended> {
  return startTroupe(args, { cwd }).ended;
}

/** The records of a results file. */
export function recordsIn(cwd: string, name = 'results.jsonl'): readonly Record<string, unknown>[] {
  const lines = readFileSync(join(cwd, name), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}
