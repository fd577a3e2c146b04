// Checks which commands patterns let through, and with a real shell that none of those runs a second one.
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refuseCommand } from '#src/tools/builtin/terminal/command-patterns.js';

const patterns = ['npm test:*', 'git diff', 'ls *', 'make build && make test'];

describe('the patterns of commands', () => {
  it.each([
    'npm test',
    '  npm test  \n',
    'npm test -- --grep "a; b | c > d"',
    "npm test '$(x) `y` && z'",
    'npm test a\\;b',
    'npm test\t./a#b',
    'ls -la src/*.ts ~ {a,b} [c]',
    'git diff',
    'make build && make test',
  ])('let %j through', (command) => {
    expect(refuseCommand(command, patterns)).toBeNull();
  });

  it.each([
    ['npm testing', 'none of those'],
    ["npm test'ing'", 'none of those'],
    ['npm  test', 'none of those'],
    ['git diff --stat', 'none of those'],
    ['PATH=/tmp npm test', 'none of those'],
    ['npm', 'none of those'],
    ['', 'none of those'],
    ['make build && make test && rm x', 'none of those'],
    ['npm test; rm x', 'operator ;'],
    ['npm test && rm x', 'operator &'],
    ['npm test & rm x', 'operator &'],
    ['npm test | sh', 'operator |'],
    ['npm test > ~/.bashrc', 'operator >'],
    ['npm test < secret', 'operator <'],
    ['npm test <(rm x)', 'operator <'],
    ['npm test $(rm x)', 'expansion $'],
    ['npm test "$(rm x)"', 'expansion $'],
    ['npm test `rm x`', 'expansion `'],
    ['npm test "`rm x`"', 'expansion `'],
    ["npm test $'\\''; rm x; '", 'expansion $'],
    ['npm test\nrm x', 'line breaks'],
    ["npm test '\nrm x'", 'line breaks'],
    ['npm test \\\nrm x', 'line breaks'],
    ['npm test \r rm x', 'line breaks'],
    ['npm test\r', 'line breaks'],
    ["npm test # '", 'comment'],
    ['npm test "a', 'not closed'],
    ["npm test 'a", 'not closed'],
    ['npm test \\', 'backslash'],
  ])('refuse %j: %s', (command, why) => {
    const refused = refuseCommand(command, patterns);

    expect(refused).toContain(why);
    expect(refused).toContain(
      '`npm test [arguments]`, `git diff`, `ls [arguments]`, `make build && make test`',
    );
  });

  it('let nothing through that makes a shell run a second command (X7)', () => {
    const pieces = [
      ...[';', '&', '&&', '|', '<', '>', '(', ')', '{', '}', '$', '`', "'", '"', '\\', '#', '!'],
      ...[
        ' ',
        ' ',
        '\t',
        '\n',
        '\r',
        '=',
        '~',
        '*',
        '[',
        ']',
        'a',
        'canary',
        '$(canary)',
        "$'",
        '$"',
      ],
    ];
    const made = fc.array(fc.constantFrom(...pieces), { maxLength: 10 });
    const commands = fc
      .sample(made, { numRuns: 20_000 })
      .map((parts) => `true ${parts.join('')}`)
      .filter((command) => refuseCommand(command, ['true:*']) === null);
    const script = [
      'canary() { echo "ran a second command" >&3; }',
      ...commands.map(
        (command) => `eval '${command.replaceAll("'", "'\\''")}' </dev/null >/dev/null`,
      ),
      'echo done >&3',
    ];

    const shell = spawnSync('bash', {
      input: script.join('\n'),
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
      timeout: 20_000,
    });

    expect(commands.filter((command) => command.includes('canary')).length).toBeGreaterThan(100);
    expect(shell.output[3]).toBe('done\n');
    expect(shell.stderr).toBe('');
  });
});
