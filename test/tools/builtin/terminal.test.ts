// Proves the shell session: what stays between commands, how each ends, that nothing of its group is left.
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from '#src/base/clock.js';
import type { ToolResult } from '#src/protocol/history.js';
import { terminalToolset } from '#src/tools/builtin/terminal.js';
import { callTool } from '#src/tools/call.js';
import type { OpenToolset } from '#src/tools/host-toolset.js';
import type { ToolContext } from '#src/tools/tool.js';
import { temporaryFolder, toolContext } from '../../fixtures/tool-context.ts';
import { groupIsGone, membersOf } from '../../support/processes.ts';

const opened: OpenToolset[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close({ force: true })));
});

const env = { PATH: process.env['PATH'] ?? '', LANG: 'C', MARK: 'x' };

function terminal({ clock = systemClock, graceMs = 5_000 } = {}) {
  const workspace = temporaryFolder();
  const agent = { id: 'a1', name: 'a', path: '/a' };
  const open = terminalToolset({ clock, env, graceMs, warn: () => {} }).open({
    agent,
    workspace,
  });
  opened.push(open);
  const [tool] = open.tools;
  if (tool === undefined) throw new Error('the toolset is empty');
  const call = (input: unknown, context: Partial<ToolContext> = {}): Promise<ToolResult> =>
    callTool(tool, input, toolContext({ workspace, ...context }));
  const say = async (command: string): Promise<unknown> => (await call({ command })).content;
  return { workspace, open, call, say };
}

/** The group of the session's shell: the shell's launcher is its leader. */
const groupOf = async (say: (command: string) => Promise<unknown>): Promise<number> =>
  Number(await say('echo $PPID'));

describe('the terminal tool', () => {
  it('keeps folder, variables and functions from call to call, and starts in the workspace', async () => {
    const { workspace, say } = terminal();

    expect(await say('pwd')).toBe(workspace);
    expect(await say('mkdir sub && cd sub; x=5; f() { echo "f $x"; }')).toBe('(no output)');
    expect(await say('f; pwd')).toBe(`f 5\n${workspace}/sub`);
  });

  it('says output and errors in their order, and an exit code that is not 0', async () => {
    const { say } = terminal();

    expect(await say('echo a; echo b >&2; echo c; false')).toBe('a\nb\nc\n[exit code 1]');
    expect(await say(`echo "it's" '"q"'`)).toBe('it\'s "q"');
    expect(await say('echo "open')).toMatch(/unexpected EOF[\s\S]*\[exit code \d+\]/);
    expect(await say('echo still')).toBe('still');
  });

  it('gives its commands nothing to read, and no variable that was not named', async () => {
    const { say } = terminal();

    expect(await say('cat; read x; echo "[$x]"')).toBe('[]');
    expect(await say('env | cut -d= -f1 | sort | tr "\\n" " "')).toMatch(
      /^(LANG|MARK|OLDPWD|PATH|PWD|SHLVL|_| )+$/,
    );
  });

  it('is not fooled by what a command prints or redirects', async () => {
    const { say } = terminal();

    expect(await say(`printf 'a\\000b 0\\000c'`)).toBe('a\0b 0\0c');
    expect(await say('set -xv')).not.toContain('[');
    expect(await say('set +xv; exec >/dev/null; echo hidden')).not.toContain('[the shell');
    expect(await say('echo seen')).toBe('seen');
  });

  it('runs the commands of one turn one after another', async () => {
    const { say } = terminal();

    const [first, second] = await Promise.all([say('sleep 0.05; x=1; echo $x'), say('echo "$x"')]);

    expect([first, second]).toEqual(['1', '1']);
  });

  it('starts a new shell after one that was left, and says so', async () => {
    const { workspace, say, call } = terminal();
    await say('cd /; x=1');

    expect(await say('echo bye; exit 3')).toBe(
      'bye\n[the shell ended: exit code 3; the next command starts a new shell in the workspace]',
    );
    expect(await say('pwd; echo "[$x]"')).toBe(`${workspace}\n[]`);
    expect((await call({ restart: true })).content).toContain('the shell was ended');
    expect((await call({ restart: true, command: 'echo anew' })).content).toBe('anew');
  });

  it('kills a command that takes too long with all it started, keeping what it said', async () => {
    const clock = new ManualClock();
    const { say, call } = terminal({ clock });
    const group = await groupOf(say);
    let onHeartbeat = () => {};
    const output = new Promise<void>((resolve) => {
      onHeartbeat = resolve;
    });
    const result = call(
      { command: 'sleep 1000 & echo begun; sleep 1000', timeoutMs: 700 },
      { heartbeat: () => onHeartbeat() },
    );
    await output;

    await clock.advance(700);

    expect((await result).content).toMatch(/^begun\n\[killed after 700 ms, and the shell with it/);
    await groupIsGone(group);
    expect(await say('echo on')).toBe('on');
  });

  it('kills the group when its signal aborts, and answers with the reason (B31)', async () => {
    const { say, call } = terminal();
    const group = await groupOf(say);
    const abort = new AbortController();
    const result = call(
      { command: 'echo begun; sleep 1000' },
      { signal: abort.signal, heartbeat: () => abort.abort(new Error('enough')) },
    );

    expect(await result).toMatchObject({ isError: true });
    await groupIsGone(group);
  });

  it('kills after the grace what ignores the wish to end', async () => {
    const clock = new ManualClock();
    const { open, say, call } = terminal({ clock, graceMs: 300 });
    const group = await groupOf(say);
    const abort = new AbortController();
    const command = 'trap "" TERM; echo begun; while :; do sleep 0.05; done';
    await call({ command }, { signal: abort.signal, heartbeat: () => abort.abort() });
    expect(membersOf(group)).not.toEqual([]);

    await clock.advance(300);

    await open.close({ force: false });
    await groupIsGone(group);
  });

  it.each([false, true])('leaves nothing behind when closed with force: %s', async (force) => {
    const { open, say } = terminal({ graceMs: 200 });
    const group = await groupOf(say);
    await say('sleep 1000 & (trap "" TERM; sleep 1000) & sleep 1000 &');
    expect(membersOf(group).length).toBeGreaterThan(2);

    await open.close({ force });

    await groupIsGone(group);
    expect(await say('echo no')).toContain('has ended');
  });

  it('keeps the beginning and the end of a flood, and ends one without end', async () => {
    const { say } = terminal();

    const some = await say('head -c 3000000 /dev/zero | tr "\\0" a; echo; echo end');
    expect(some).toMatch(/^a+\n\[cut/);
    const endless = await say('yes');

    expect(endless).toMatch(/^(y\n)+/);
    expect(await say('echo on')).toBe('on');
  }, 60_000);

  it.each([
    [{}, 'command is missing'],
    [{ command: 'a\0b' }, 'NUL'],
    [{ command: 5 }, 'command: expected text, got 5'],
    [{ command: 'a', timeoutMs: 0 }, 'timeoutMs: expected a whole number'],
    [null, 'as one JSON object, got null'],
  ])('refuses %j', async (input, text) => {
    const { call } = terminal();

    expect(await call(input)).toMatchObject({
      isError: true,
      content: expect.stringContaining(text),
      failure: { code: 'tool_arguments_invalid' },
    });
  });

  it('says that its folder is gone', async () => {
    const open = terminalToolset({
      clock: systemClock,
      env,
      graceMs: 100,
      warn: () => {},
    }).open({
      agent: { id: 'a1', name: 'a', path: '/a' },
      workspace: '/nowhere/at/all',
    });
    opened.push(open);
    const [tool] = open.tools;
    if (tool === undefined) throw new Error('the toolset is empty');

    expect(await callTool(tool, { command: 'ls' }, toolContext())).toMatchObject({
      isError: true,
      failure: { code: 'terminal_failed' },
    });
  });
});
