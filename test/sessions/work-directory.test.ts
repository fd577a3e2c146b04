// Checks which folder an agent may be given: example by example, on every platform from any platform (A62, A63).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fallbackDirectory, refuseDirectory } from '#src/sessions/work-directory.js';

function refusal(
  platform: NodeJS.Platform,
  requested: string,
  realFolder: (path: string) => string | null = (path) => path,
): string | null {
  return refuseDirectory({ requested, platform, realFolder });
}

describe('refuseDirectory', () => {
  it.each([
    ['linux', 'work/here', 'it is not absolute'],
    ['linux', '', 'it is not absolute'],
    ['linux', '/home/\0', 'it contains a NUL byte'],
    ['linux', '/home/me/../root', 'it contains ..'],
    ['linux', '/etc', 'it belongs to the system'],
    ['linux', '//etc/./ssl', 'it belongs to the system'],
    ['linux', '/bin/', 'it belongs to the system'],
    ['linux', '/sbin', 'it belongs to the system'],
    ['linux', '/root/work', 'it belongs to the system'],
    ['linux', '/', 'it belongs to the system'],
    ['linux', '//.//', 'it belongs to the system'],
    ['darwin', '/private', 'it belongs to the system'],
    ['win32', 'C:\\', 'it belongs to the system'],
    ['darwin', '/System', 'it belongs to the system'],
    ['darwin', '/library/Caches', 'it belongs to the system'],
    ['darwin', '/private/var/folders', 'it belongs to the system'],
    ['darwin', '/usr/local', 'it belongs to the system'],
    ['win32', 'work\\here', 'it is not absolute'],
    ['win32', 'C:\\work\\..\\x', 'it contains ..'],
    ['win32', 'C:\\Windows', 'it belongs to the system'],
    ['win32', 'c:/WINDOWS./system32', 'it belongs to the system'],
    ['win32', 'D:\\x\\SysWOW64\\y', 'it belongs to the system'],
    ['win32', 'C:\\boot', 'it belongs to the system'],
  ] as const)('on %s refuses %j: %s (A62)', (platform, requested, why) => {
    expect(refusal(platform, requested)).toBe(why);
  });

  it.each([
    ['linux', '/etcetera'],
    ['linux', '/home/root'],
    ['linux', '/home/me/etc'],
    ['linux', '/home/..hidden'],
    ['darwin', '/Users/me/Library'],
    ['darwin', '/usrlocal'],
    ['darwin', '/etc'],
    ['win32', 'C:\\windowsill'],
    ['win32', '\\\\server\\share\\rebooted'],
  ] as const)('on %s takes %j: it compares parts, not letters (A62)', (platform, requested) => {
    expect(refusal(platform, requested)).toBeNull();
  });

  it('refuses what does not exist, and a link that leads into the system (A62)', () => {
    expect(refusal('linux', '/home/me', () => null)).toBe('there is no such folder');
    expect(refusal('linux', '/home/me', () => '/etc/ssl')).toBe(
      'it leads into a folder of the system',
    );
  });

  it('refuses a link into a tree of the system that is a link itself (A62)', () => {
    const links: Readonly<Record<string, string>> = {
      '/bin': '/usr/bin',
      '/home/me/x': '/usr/bin',
    };
    const follow = (path: string): string => links[path] ?? path;

    expect(refusal('linux', '/home/me/x', follow)).toBe('it leads into a folder of the system');
    expect(refusal('linux', '/usr/bin', follow)).toBe('it leads into a folder of the system');
    expect(refusal('linux', '/usr', follow)).toBe('it leads into a folder of the system');
    expect(refusal('linux', '/usr/share', follow)).toBeNull();
  });
});

describe('fallbackDirectory', () => {
  it('is named after session and agent, as they are where they are plain names (A63)', () => {
    expect(fallbackDirectory('/w', 'chat-42', 'analyst_1')).toBe('/w/chat-42/analyst_1');
  });

  it.each([
    ['user:7/../../etc', /^\/w\/_user_7_etc\.[0-9a-f]{24}\/analyst$/],
    ['..', /^\/w\/__\.[0-9a-f]{24}\/analyst$/],
    ['', /^\/w\/_\.[0-9a-f]{24}\/analyst$/],
    ['Chat', /^\/w\/_Chat\.[0-9a-f]{24}\/analyst$/],
    ['con', /^\/w\/_con\.[0-9a-f]{24}\/analyst$/],
    ['x'.repeat(65), /^\/w\/_x{40}\.[0-9a-f]{24}\/analyst$/],
  ])('marks the session %j, whose name had to be changed (A63)', (session, expected) => {
    expect(fallbackDirectory('/w', session, 'analyst')).toMatch(expected);
  });

  it('never leads out of the root, and no two sessions or agents share a folder (A63)', () => {
    const nasty = fc.stringMatching(/^[aA./\\_ ]{0,4}$/);
    const text = fc.oneof(nasty, fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
    const pair = fc.tuple(text, text);

    fc.assert(
      fc.property(pair, pair, ([session, agent], [otherSession, otherAgent]) => {
        const path = fallbackDirectory('/w', session, agent);
        const other = fallbackDirectory('/w', otherSession, otherAgent);

        expect(path).toMatch(/^\/w\/[A-Za-z0-9_-][A-Za-z0-9_.-]*\/[A-Za-z0-9_-][A-Za-z0-9_.-]*$/);
        expect(path.length).toBeLessThanOrEqual(2 * 66 + 3);
        const isSame = session === otherSession && agent === otherAgent;
        expect(path.toLowerCase() === other.toLowerCase()).toBe(isSame);
      }),
    );
  });

  it('gives a session that is named like the folder of another one a folder of its own (A63)', () => {
    const taken = fallbackDirectory('/w', 'a/b', 'x').split('/')[2] ?? '';

    expect(fallbackDirectory('/w', taken, 'x')).not.toContain(`/${taken}/`);
  });
});
