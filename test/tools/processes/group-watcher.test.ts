// Checks that what a service has started ends with it, in every way a process ends without closing.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { within } from '../../supervisor/support.ts';
import { folderWith, startNode } from '../../support/command.ts';
import { groupIsGone, membersOf } from '../../support/processes.ts';
import { until } from '../../support/until.ts';

const program = fileURLToPath(new URL('../../fixtures/programs/holds-groups.js', import.meta.url));

it.each(['kill', 'exit', 'throw'])(
  'terminals and MCP servers end with a service that ends by %s (J2)',
  async (end) => {
    const folder = folderWith();
    const service = startNode([program, end], { cwd: folder, hasInput: true });
    const groupIn = (name: string): Promise<number> =>
      until(() => {
        const path = join(folder, name);
        return existsSync(path) ? Number(readFileSync(path, 'utf8')) || null : null;
      }, `a number in ${name}`);
    const groups = [await groupIn('server.pid'), await groupIn('terminal.pid')];
    expect(groups.map((group) => membersOf(group).length > 1)).toEqual([true, true]);

    service.child.stdin?.write('now\n');
    await within(service.ended, 'the end of the service');

    for (const group of groups) await groupIsGone(group);
  },
);
