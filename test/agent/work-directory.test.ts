// Checks which folder an agent may be given: example by example, on every platform from any platform (A62, A63).
import { describe, expect, it } from 'vitest';
import { fallbackDirectory, refuseDirectory } from '#src/agent/work-directory.js';

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
    ['linux', '/home/me/../root', 'it contains ..'],
    ['linux', '/etc', 'it belongs to the system'],
    ['linux', '//etc/./ssl', 'it belongs to the system'],
    ['linux', '/bin/', 'it belongs to the system'],
    ['linux', '/sbin', 'it belongs to the system'],
    ['linux', '/root/work', 'it belongs to the system'],
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
  ] as const)('A62 on %s refuses %j: %s', (platform, requested, why) => {
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
  ] as const)('A62 on %s takes %j: it compares parts, not letters', (platform, requested) => {
    expect(refusal(platform, requested)).toBeNull();
  });

  it('A62 refuses what does not exist, and a link that leads into the system', () => {
    expect(refusal('linux', '/home/me', () => null)).toBe('there is no such folder');
    expect(refusal('linux', '/home/me', () => '/etc/ssl')).toBe(
      'it leads into a folder of the system',
    );
  });
});

describe('fallbackDirectory', () => {
  it.each([
    ['chat-42', 'analyst', '/w/chat-42/analyst'],
    ['user:7/../../etc', 'analyst', '/w/user_7_etc/analyst'],
    ['..', '.', '/w/_/_'],
    ['', 'ä', '/w/_/_'],
  ])('A63 puts session %j and agent %j below the root', (session, agent, expected) => {
    expect(fallbackDirectory('/w', session, agent)).toBe(expected);
  });
});
