// Proves that a shell reports the end of every command, whatever functions and aliases a command before it defined.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { scriptOf } from '#src/tools/builtin/terminal/command-script.js';

type Shell = readonly [kind: 'bash' | 'sh', file: string, args: readonly string[]];

const shells: readonly Shell[] = [
  ['bash', '/bin/bash', ['--noprofile', '--norc']],
  ['sh', '/bin/sh', []],
];
const names = ['printf', 'command', 'eval', 'unset', 'exec', 'set', 'export', 'echo', 'trap'];

/** What a shell prints for commands that were handed to it one after another, each end marked `<token status>`. */
function runAll([kind, file, args]: Shell, commands: readonly string[]): string {
  const scripts = commands.map((command, index) => scriptOf(command, `end${index}`, kind));
  const { stdout } = spawnSync(file, args, {
    input: `exec 3>&1\n${scripts.join('')}`,
    timeout: 20_000,
    encoding: 'utf8',
  });
  return stdout.replace(/\0([^\0]*)\0/g, '<$1>');
}

describe.each(shells)('a command of %s', (...shell) => {
  it.each(names)('is reported after one that defined a function %s', (name) => {
    const define = `${name}() { :; }`;

    const output = runAll(shell, [define, '(exit 7)', 'false']);

    // Plain sh has no function of a special builtin's name: there it is a syntax error.
    expect(output).toMatch(/<end0 [02]><end1 7><end2 1>$/);
  });

  it('is reported after one that redefined all of them as aliases', () => {
    const define = names.map((name) => `alias ${name}=:`).join('; ');
    const expand = shell[0] === 'bash' ? 'shopt -s expand_aliases; ' : '';

    expect(runAll(shell, [`${expand}${define}`, '(exit 7)'])).toBe('<end0 0><end1 7>');
  });

  it.each([
    'readonly POSIXLY_CORRECT',
    'readonly PATH= IFS=0123456789',
    ...(shell[0] === 'bash' ? ['printf() { :; }; readonly -f printf; export -f printf'] : []),
  ])('is reported after %s', (command) => {
    expect(runAll(shell, [command, '(exit 7)', 'false'])).toBe('<end0 0><end1 7><end2 1>');
  });

  it('keeps its functions, variables and mode', () => {
    const output = runAll(shell, [
      'printf() { /bin/echo mine; }; x=1',
      'printf; /bin/echo $x "[$POSIXLY_CORRECT]"',
    ]);

    expect(output).toBe('<end0 0>mine\n1 []\n<end1 0>');
  });

  it('is reported with what is wrong when it cannot be parsed, and the shell goes on', () => {
    expect(runAll(shell, ['echo "open', 'echo on'])).toMatch(/<end0 [12]>on\n<end1 0>$/);
  });
});
