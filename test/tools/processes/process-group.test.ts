// Proves that a group is signalled only while it is one: its number may be a stranger's afterwards.
import { afterEach, expect, it, vi } from 'vitest';
import { ManualClock } from '#src/base/clock.js';
import { startGroup } from '#src/tools/processes/process-group.js';

afterEach(() => vi.restoreAllMocks());

it.each(['end', 'kill'] as const)('%s signals no process once the group is over', async (how) => {
  const clock = new ManualClock();
  const command = { file: '/bin/true', args: [], cwd: undefined, env: {} };
  const { group } = startGroup(command, { clock, graceMs: 300 });
  if (group === null) throw new Error('/bin/true could not be started');
  await group.over;
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);

  await group[how]();
  await clock.advance(300);

  expect(kill).not.toHaveBeenCalled();
  expect(clock.pending).toBe(0);
});
