// Checks approvals of the built command: by its options where there is no terminal, by keys in a real one.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCommandLine } from '#src/cli/command-line.js';
import { type StubModelServer, startStubModelServer } from '#src/testing.js';
import { bin, folderWith, start, startTroupe } from '../support/command.ts';

let server: StubModelServer;

beforeEach(async () => {
  server = await startStubModelServer();
});

afterEach(() => server.close());

const job = ['run', '--goal', 'Write it', '--model', 'anthropic:claude-x', '--toolsets', 'file'];
const env = () => ({ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'dummy' });

/** A model that writes these files, one per turn, and says that it is done. */
function writes(...paths: readonly string[]): void {
  server.reply(
    ...paths.map((path, at) => ({
      type: 'message' as const,
      toolCalls: [{ id: `c${at}`, name: 'write', input: { path, content: 'text' } }],
    })),
    { type: 'message', text: 'all done' },
  );
}

/** What the model was told of its last call. */
async function lastRequest(turns: number): Promise<string> {
  let body: unknown = null;
  for (let turn = 0; turn < turns; turn += 1) ({ body } = await server.nextRequest());
  return JSON.stringify(body);
}

describe('a tool that needs approval, where there is no terminal', () => {
  it('is denied, and a line names the option that allows it, once', async () => {
    writes('a.txt', 'b.txt');
    const cwd = folderWith();
    const more = ['--require-approval', 'write,tag:process'];
    const { code, stderr } = await startTroupe([...job, ...more], { cwd, env: env() }).ended;

    expect(code).toBe(0);
    expect(stderr).toBe(
      'troupe: write needs approval and was denied: allow it by --approve write, or run the job in the live view of a terminal to be asked\n',
    );
    expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
    expect(await lastRequest(3)).toContain('there is no one to ask here');
  });

  it.each([
    ['all', true],
    ['write', true],
    ['read, tag:write', true],
    ['wr*', true],
    ['read,tag:network', false],
    ['none', false],
  ])('is allowed by --approve %s: %j', async (approve, isAllowed) => {
    writes('a.txt');
    const cwd = folderWith();
    const more = ['--require-approval', 'tag:write', '--approve', approve];
    const { code, stderr } = await startTroupe([...job, ...more], { cwd, env: env() }).ended;

    expect(code).toBe(0);
    expect(existsSync(join(cwd, 'a.txt'))).toBe(isAllowed);
    expect(stderr.includes('--approve write')).toBe(approve === 'read,tag:network');
  });

  it('runs where nothing requires approval', async () => {
    writes('a.txt');
    const cwd = folderWith();
    const { code, stderr } = await startTroupe(job, { cwd, env: env() }).ended;

    expect([code, stderr]).toEqual([0, '']);
    expect(existsSync(join(cwd, 'a.txt'))).toBe(true);
  });
});

// The tool that opens one is part of util-linux, and is another elsewhere.
describe.runIf(process.platform === 'linux' && existsSync('/usr/bin/script'))(
  'a tool that needs approval, in a terminal',
  () => {
    const inTerminal = (cwd: string, ...more: readonly string[]) => {
      const words = [process.execPath, bin, ...job, '--require-approval', 'write', ...more];
      const command = words.map((word) => `'${word}'`).join(' ');
      const options = { cwd, env: { ...env(), TERM: 'xterm', NO_COLOR: '1' }, hasInput: true };
      const running = start('/usr/bin/script', ['-qfec', `${command}; stty`, '/dev/null'], options);
      return { running, press: (keys: string) => running.child.stdin?.write(keys) };
    };

    it('is asked for by name, path and arguments, each time, and runs or not by the key', async () => {
      writes('a.txt', 'b.txt');
      const cwd = folderWith();
      const { running, press } = inTerminal(cwd);

      await running.says(/\(Write it\) wants to run write[\s\S]*"path":"a\.txt"[\s\S]*n deny/);
      press('y');
      await running.says(/"path":"b\.txt"[\s\S]*n deny/);
      press('n');
      const { stdout } = await running.ended;

      expect([existsSync(join(cwd, 'a.txt')), existsSync(join(cwd, 'b.txt'))]).toEqual([
        true,
        false,
      ]);
      expect(stdout).toContain('1 completed');
      // As it was: what is typed is shown again.
      expect(stdout).not.toMatch(/-icanon|-echo(?!\w)/);
      expect(await lastRequest(3)).toContain('it was denied');
    });

    it.each(['r', 'a'])('is not asked for again after the key %s', async (key) => {
      writes('a.txt', 'b.txt');
      const cwd = folderWith();
      const { running, press } = inTerminal(cwd);

      await running.says(/"path":"a\.txt"[\s\S]*n deny/);
      press(key);
      const { stdout } = await running.ended;

      expect(existsSync(join(cwd, 'b.txt'))).toBe(true);
      expect(stdout).not.toContain('"path":"b.txt"');
    });

    it('leaves Ctrl-C its meaning, and the terminal as it was', async () => {
      writes('a.txt');
      const cwd = folderWith();
      const { running, press } = inTerminal(cwd);

      await running.says(/"path":"a\.txt"[\s\S]*n deny/);
      press('\u0003');
      const { stdout } = await running.ended;

      expect(stdout).toContain('interrupted: 0 finished and kept, 1 partial');
      expect(stdout).not.toMatch(/-icanon|-echo(?!\w)/);
      expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
    });

    it.each([
      ['write', true],
      ['none', false],
    ])('is not asked for with --approve %s', async (approve, isAllowed) => {
      writes('a.txt');
      const cwd = folderWith();
      const { stdout } = await inTerminal(cwd, '--approve', approve).running.ended;

      expect(stdout).not.toContain('wants to run');
      expect(existsSync(join(cwd, 'a.txt'))).toBe(isAllowed);
    });
  },
);

describe('patterns on the command line', () => {
  it.each([
    ['--approve', 'tags:write'],
    ['--approve', ''],
    ['--approve', 'read,,write'],
    ['--require-approval', 'Bash(git:*)'],
  ])('%s %j is misuse', (option, value) => {
    const command = readCommandLine(['run', '--goal', 'x', option, value], '1');

    expect(command).toMatchObject({
      type: 'misuse',
      text: expect.stringContaining('expected the name of a tool'),
    });
  });

  it('that are nearly the name of a tool end the command before it starts', async () => {
    const args = ['run', '--goal', 'x', '--require-approval', 'writ'];
    const { code, stderr } = await startTroupe(args, { cwd: folderWith() }).ended;

    expect(code).toBe(2);
    expect(stderr).toMatch(/approval\.require names "writ".*did you mean "write"/);
  });
});
