// Proves that a group is signalled only while it is one: its number may be a stranger's afterwards.
import { spawn } from 'node:child_process';
import { afterEach, expect, it, vi } from 'vitest';
import { ManualClock } from '#src/base/clock.js';
import { ProcessGroup } from '#src/tools/builtin/terminal/process-group.js';

afterEach(() => vi.restoreAllMocks());

it.each(['end', 'kill'] as const)('%s signals no process once the group is over', async (how) => {
  const clock = new ManualClock();
  const child = spawn('/bin/true', [], { detached: true, stdio: 'ignore' });
  const group = new ProcessGroup(child, child.pid ?? 0, { clock, graceMs: 300 });
  await group.over;
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);

  await group[how]();
  await clock.advance(300);

  expect(kill).not.toHaveBeenCalled();
  expect(clock.pending).toBe(0);
});
