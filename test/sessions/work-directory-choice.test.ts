// Checks the folder an agent is given, on a real disk: the one that was asked for, or its own, which then exists (A62, A63).
import { mkdirSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseWorkDirectory } from '#src/sessions/work-directory-choice.js';
import { folderOf } from './folders.ts';

const agent = { sessionId: 'chat-42', agentName: 'analyst', platform: 'linux' as const };

/** A root that is not there yet, beside a folder, a file and a link into the system. */
function arranged() {
  const base = realpathSync(folderOf({}));
  const root = join(base, 'workspaces');
  mkdirSync(join(base, 'mine'));
  writeFileSync(join(base, 'file'), '');
  symlinkSync('/etc', join(base, 'sly'));
  symlinkSync(join(base, 'mine'), join(base, 'shortcut'));
  return { base, root, own: join(root, 'chat-42', 'analyst') };
}

describe('chooseWorkDirectory', () => {
  it('takes a folder that is there, and makes no other (A62, X18)', () => {
    const { base, root } = arranged();
    const mine = join(base, 'mine');

    expect(chooseWorkDirectory({ ...agent, root, requested: mine })).toEqual({ path: mine });
    const shortcut = join(base, 'shortcut');
    expect(chooseWorkDirectory({ ...agent, root, requested: shortcut })).toEqual({ path: mine });
    expect(statSync(root, { throwIfNoEntry: false })).toBeUndefined();
  });

  it('gives who asked for nothing a folder of its own, the same one again (A63)', () => {
    const { root, own } = arranged();

    expect(chooseWorkDirectory({ ...agent, root })).toEqual({ path: own });
    expect(statSync(own).isDirectory()).toBe(true);
    expect(chooseWorkDirectory({ ...agent, root })).toEqual({ path: own });
  });

  it.each([
    ['/etc', 'it belongs to the system'],
    ['/bin', 'it belongs to the system'],
    ['/sbin', 'it belongs to the system'],
    ['/root', 'it belongs to the system'],
    ['mine', 'it is not absolute'],
    ['BASE/mine/../mine', 'it contains ..'],
    ['BASE/missing', 'there is no such folder'],
    ['BASE/file', 'there is no such folder'],
    ['BASE/sly', 'it leads into a folder of the system'],
  ])('falls back from %s, and says that %s (A62, A63)', (asked, why) => {
    const { base, root, own } = arranged();
    const requested = asked.replace('BASE', base);

    const { path, warning } = chooseWorkDirectory({ ...agent, root, requested });

    expect(path).toBe(own);
    expect(statSync(own).isDirectory()).toBe(true);
    expect(warning).toContain(why);
    expect(warning).toContain(requested);
  });

  it('follows no symlink that was put in the place of its folder (A63)', () => {
    const { base, root, own } = arranged();
    chooseWorkDirectory({ ...agent, root });
    rmSync(join(root, 'chat-42'), { recursive: true });
    symlinkSync(join(base, 'mine'), join(root, 'chat-42'));

    expect(() => chooseWorkDirectory({ ...agent, root })).toThrow(
      expect.objectContaining({ code: 'outside_workspace', message: expect.stringContaining(own) }),
    );
    expect(statSync(join(base, 'mine', 'analyst'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('refuses a root that is not absolute, and one where no folder can be made (A63)', () => {
    const { base } = arranged();

    expect(() => chooseWorkDirectory({ ...agent, root: 'workspaces' })).toThrow(
      expect.objectContaining({ code: 'invalid_options' }),
    );
    expect(() => chooseWorkDirectory({ ...agent, root: join(base, 'file') })).toThrow(
      expect.objectContaining({ code: 'file_refused' }),
    );
  });

  const byModel = { listed: [], root: false };

  it('gives a model no folder outside of the root, however it is spelt (A62)', () => {
    const { base, root, own } = arranged();
    mkdirSync(join(root, 'project'), { recursive: true });
    symlinkSync(join(base, 'mine'), join(root, 'link'));
    const choose = (requested: string, more: object = {}): string =>
      chooseWorkDirectory({ ...agent, root, requested, choosable: byModel, ...more }).path;

    expect(choose(join(root, 'project'))).toBe(join(root, 'project'));
    for (const asked of ['/', '/usr', '/tmp', base, join(base, 'mine'), join(root, 'link'), root]) {
      expect(choose(asked)).toBe(own);
    }
    expect(choose(root, { choosable: { listed: [], root: true } })).toBe(root);
  });

  it('gives a model no folder of another session, and those that the program lists (A62)', () => {
    const { base, root, own } = arranged();
    const other = chooseWorkDirectory({ ...agent, root, sessionId: 'chat-7' }).path;
    const sibling = chooseWorkDirectory({ ...agent, root, agentName: 'writer' }).path;
    const mine = join(base, 'mine');
    const choose = (requested: string, listed: readonly string[] = []): string =>
      chooseWorkDirectory({ ...agent, root, requested, choosable: { listed, root: true } }).path;

    expect(choose(other)).toBe(own);
    expect(choose(join(root, 'chat-7'))).toBe(own);
    expect(choose(sibling)).toBe(sibling);
    expect(choose(mine)).toBe(own);
    expect(choose(mine, [base])).toBe(mine);
    expect(choose('/etc', ['/'])).toBe(own);
  });
});
