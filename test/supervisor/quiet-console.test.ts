// Checks, in programs of their own, what reaches the console of a program: warnings and errors without a logger, nothing else.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';

/** Two programs in one test, each with a deadline of its own. */
vi.setConfig({ testTimeout: 120_000 });

/** What a program prints until it ends by itself. */
function printedBy(program: string, args: readonly string[] = [], env = {}) {
  const file = fileURLToPath(new URL(`../fixtures/programs/${program}.js`, import.meta.url));
  const { stdout, stderr, status } = spawnSync(process.execPath, [file, ...args], {
    encoding: 'utf8',
    timeout: 55_000,
    env: { ...process.env, TROUPE_DEBUG: '', ...env },
  });
  const linesOf = (text: string): readonly string[] =>
    text.split('\n').filter((line) => line !== '');
  return { status, stdout: linesOf(stdout), stderr: linesOf(stderr) };
}

/** Where a fixture makes its error: `folder/file:line`. */
function placeOf(file: string, message: string): string {
  const text = readFileSync(new URL(`../fixtures/${file}`, import.meta.url), 'utf8');
  const before = text.slice(0, text.indexOf(`new Error('${message}'`));
  return `${file}:${before.split('\n').length}:`;
}

describe('the console of a program', () => {
  it('has no warning of listeners, however many calls share a signal and listen to theirs (S2)', () => {
    const { status, stdout, stderr } = printedBy('many-on-one-signal');

    expect(stderr).toEqual([]);
    expect([status, stdout]).toEqual([0, ['closed']]);
  });

  it('has the notice of a package once, as a warning, and none that a logger gets', () => {
    const notice =
      /^the client of the model says: The model 'claude-sonnet-4-5' is deprecated .* Please migrate/;

    const bare = printedBy('deprecated-model');
    const logged = printedBy('deprecated-model', ['own']);

    expect(bare.stderr).toHaveLength(1);
    expect(bare.stderr[0]?.replace('troupe: warning: ', '')).toMatch(notice);
    expect(logged.stderr).toEqual([]);
    expect(logged.stdout).toHaveLength(1);
    expect(logged.stdout[0]).toMatch(notice);
  });
});

describe('mistakes in code of the program', () => {
  const mistakes = [
    ['a listener of turn_started failed: the listener broke', 'programs/mistakes.js'],
    ['hook beforeTurn failed: the hook broke', 'programs/mistakes.js'],
    ['a listener of log failed: the listener of log broke', 'programs/mistakes.js'],
    ['hook beforeRun failed: boom in the thread', 'hooks/throws.js'],
    ['the model mine failed: the model broke', 'programs/mistakes.js'],
    ['crashed: the timer broke', 'tools/strays.js'],
    ['could not be loaded: not today', 'tools/throws-at-load.js'],
  ] as const;

  it('are a line each on standard error, with file and line, when there is no logger (O3, V1)', () => {
    const { status, stderr } = printedBy('mistakes', ['none']);

    for (const [what, file] of mistakes) {
      const where = placeOf(file, what.slice(what.lastIndexOf(': ') + 2));
      const lines = stderr.filter((line) => line.includes(what));
      expect(lines, what).not.toEqual([]);
      for (const line of lines) {
        expect(line.startsWith('troupe: error: '), line).toBe(true);
        expect(line, what).toContain(where);
      }
    }
    const known = mistakes.map(([what]) => what);
    expect(stderr.filter((line) => !known.some((what) => line.includes(what)))).toEqual([]);
    expect(status).toBe(0);
  });

  it('reach a logger with their stacks, none with false, and print nothing then (O3)', () => {
    const own = printedBy('mistakes', ['own']);
    const silent = printedBy('mistakes', ['silent']);

    expect([own.stderr, silent.stderr, silent.stdout]).toEqual([[], [], []]);
    for (const [what, file] of mistakes) {
      const where = placeOf(file, what.slice(what.lastIndexOf(': ') + 2));
      const lines = own.stdout
        .map((line) => JSON.parse(line))
        .find(({ message, failure }) => `${message}: ${failure.message}`.includes(what));
      expect(lines?.failure.detail.stack, what).toContain(where);
    }
  });

  it.each(['now', 'later'])('stand on standard error where the logger fails %s (O3)', (when) => {
    const { status, stdout, stderr } = printedBy('broken-logger', [when]);

    const place = placeOf('programs/broken-logger.js', 'the listener broke');
    const ofListener = stderr.filter((line) => line.includes('a listener of turn_started failed'));
    expect(ofListener).toHaveLength(2);
    for (const line of ofListener) expect(line).toContain(place);
    const ofLogger = stderr.filter((line) => line.includes('the logger broke'));
    expect(ofLogger).toHaveLength(1);
    expect(ofLogger[0]).toContain(placeOf('programs/broken-logger.js', 'the logger broke'));
    expect(stderr).toHaveLength(3);
    expect([status, stdout]).toEqual([0, ['completed', 'completed']]);
  });

  it('are told with stacks, and so is what tools threw with its causes, with TROUPE_DEBUG=1', () => {
    const { stderr } = printedBy('mistakes', ['none'], { TROUPE_DEBUG: '1' });

    const at = stderr.findIndex((line) => line.includes('Tool "breaks" failed: the tool broke'));
    expect(stderr[at]).toMatch(/^troupe: warning: /);
    expect(stderr[at + 1]).toBe('Error: the tool broke');
    const place = placeOf('programs/mistakes.js', 'the tool broke');
    expect(stderr[at]).toContain(place);
    expect(stderr[at + 2]).toContain(place);
    expect(stderr).toContain('Caused by: TypeError: the cause');
    expect(stderr).toContain('Error: the hook broke');
  });
});
