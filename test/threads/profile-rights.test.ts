// Checks what a profile leaves of another's rights, which tools it takes away, and which flags hold code to it.
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clampProfile,
  filesOf,
  mayStartPrograms,
  reaches,
  toolsTakenBy,
} from '#src/protocol/profile-rights.js';
import { isolationOf, networkAccess, type WorkerProfile } from '#src/protocol/worker-profile.js';
import { ownPaths, permissionFlags } from '#src/threads/permission-flags.js';

const segment = fc.constantFrom('a', 'b', 'ab');
const path = fc.array(segment, { maxLength: 3 }).map((parts) => `/${parts.join('/')}`);
const nearestFirst = ['thread', 'auto', 'process'] as const;
const paths = fc.array(path, { maxLength: 3 });
const profiles: fc.Arbitrary<WorkerProfile> = fc.record(
  {
    isolation: fc.constantFrom(...nearestFirst),
    memoryMb: fc.integer({ min: 128, max: 1_000 }),
    maxHeapMb: fc.integer({ min: 8, max: 600 }),
    fs: fc.oneof(fc.constant('none' as const), fc.record({ read: paths, write: paths })),
    net: fc.constantFrom(...networkAccess),
    child: fc.boolean(),
    env: fc.array(fc.constantFrom('A', 'B', 'C')),
    niceness: fc.integer({ min: 0, max: 19 }),
  },
  { requiredKeys: [] },
);

const mayRead = (profile: WorkerProfile, at: string) => {
  const files = filesOf(profile);
  return files === null || reaches(files.read, at);
};
const mayWrite = (profile: WorkerProfile, at: string) => {
  const files = filesOf(profile);
  return files === null || reaches(files.write, at);
};
const isNoPackages = (path: string) => !path.endsWith(`node_modules${sep}`);
const netOf = ({ net = 'open' }: WorkerProfile) => networkAccess.indexOf(net);

describe('the profile of an agent below another', () => {
  it('has each right that both have, and no other', () => {
    fc.assert(
      fc.property(profiles, profiles, path, (above, asked, at) => {
        const both = clampProfile(above, asked);

        expect(mayRead(both, at)).toBe(mayRead(above, at) && mayRead(asked, at));
        expect(mayWrite(both, at)).toBe(mayWrite(above, at) && mayWrite(asked, at));
        expect(mayStartPrograms(both)).toBe(mayStartPrograms(above) && mayStartPrograms(asked));
        expect(netOf(both)).toBe(Math.min(netOf(above), netOf(asked)));
        const places = [above, asked].map((each) => nearestFirst.indexOf(isolationOf(each)));
        const place = nearestFirst[Math.max(...places)];
        // With files of its own to reach, what is left open is a process.
        const isClosed = place === 'auto' && both.fs !== undefined;
        expect(isolationOf(both)).toBe(isClosed ? 'process' : place);
        for (const name of both.env ?? []) expect(above.env).toContain(name);
        if (above.maxHeapMb !== undefined) {
          expect(both.maxHeapMb).toBeLessThanOrEqual(above.maxHeapMb);
        }
        if (place !== 'thread' && above.memoryMb !== undefined) {
          expect(both.memoryMb).toBeLessThanOrEqual(above.memoryMb);
        }
      }),
    );
  });

  it('keeps the flags of the one above, whatever it asks', () => {
    const flags = ['--stack-trace-limit=5'];
    expect(clampProfile({ execArgv: flags }, { execArgv: ['--allow-fs-read=*'] }).execArgv).toBe(
      flags,
    );
  });
});

describe('a profile takes away', () => {
  const workspace = ['', 'work', 'project'].join(sep);

  it.each<[string, WorkerProfile, readonly string[]]>([
    ['nothing by itself', {}, []],
    [
      'nothing of the workspace where it may write',
      { fs: { write: ['/work'] }, child: false },
      ['tag:process'],
    ],
    [
      'what writes where it may only read',
      { fs: { read: [workspace] } },
      ['tag:write', 'tag:process'],
    ],
    [
      'all that works with files where it may read others alone',
      { fs: { read: ['/work/projects', '/else'] } },
      ['tag:file', 'tag:write', 'tag:process'],
    ],
    ['all of them with none', { fs: 'none' }, ['tag:file', 'tag:write', 'tag:process']],
    ['what starts programs', { child: false }, ['tag:process']],
    ['what reaches the network', { net: 'none' }, ['tag:process', 'tag:network']],
    ['programs alone with guarded network', { net: 'guarded' }, ['tag:process']],
  ])('%s', (_, profile, patterns) => {
    expect(toolsTakenBy(profile, workspace).map(({ pattern }) => pattern)).toEqual(patterns);
  });
});

describe('the flags of a profile', () => {
  it('are none where it takes nothing away', () => {
    expect(permissionFlags({ maxHeapMb: 64, net: 'open', child: true }, ['/own'])).toEqual([]);
  });

  it('name each folder once: Node 20 aborts over one that is given twice', () => {
    const profile = { fs: { read: ['/a/', '/a', '/a/b', '/own'], write: ['/c', '/a'] } };
    const named = permissionFlags(profile, ['/own', '/own/more']).filter((flag) =>
      flag.startsWith('--allow-fs'),
    );

    expect(named.toSorted()).toEqual([
      '--allow-fs-read=/a',
      '--allow-fs-read=/c',
      '--allow-fs-read=/own',
      '--allow-fs-write=/a',
      '--allow-fs-write=/c',
    ]);
  });

  it('leave files alone where it says nothing of them', () => {
    const flags = permissionFlags({ child: false }, ['/own']);

    expect(flags).toContain('--allow-fs-read=*');
    expect(flags).toContain('--allow-fs-write=*');
    expect(flags).not.toContain('--allow-child-process');
  });

  it('name what there is to load', () => {
    const own = ownPaths(undefined);

    expect(own.some((each) => each.endsWith(`${sep}dist`))).toBe(true);
    expect(own.some((each) => each.endsWith(`node_modules${sep}`))).toBe(true);
  });

  it('name of a bundle its folder, and nothing above it but packages', () => {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-bundle-'));
    const bundle = join(folder, 'app', 'server');
    mkdirSync(bundle, { recursive: true });
    mkdirSync(join(folder, 'node_modules'));

    const own = ownPaths(pathToFileURL(join(bundle, 'worker.js')));

    const below = own.filter((each) => each.startsWith(folder));
    expect(below.toSorted()).toEqual([bundle, join(folder, 'node_modules') + sep].toSorted());
    expect(own.filter((each) => !each.startsWith(folder)).filter(isNoPackages)).toEqual([]);
  });
});
