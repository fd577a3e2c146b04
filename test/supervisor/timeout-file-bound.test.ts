// Checks that files about timeouts do not pile up: of its own, a supervisor keeps the newest.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { noUsage, type Outcome } from '#src/base/outcome.js';
import { EventBus } from '#src/events/events.js';
import { timeoutFiles } from '#src/supervisor/timeout-files.js';
import type { Run } from '#src/tasks/state.js';
import { ManualClock, scripted } from '#src/testing.js';

const directory = mkdtempSync(join(tmpdir(), 'troupe-timeouts-'));

afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** As much of an agent as a report is made of. */
const agent = {
  task: { task: { goal: 'a' } },
  spec: {
    models: [{ route: { route: 'host', model: scripted({ default: [] }) } }],
    modelId: 'scripted',
    settings: {},
    shared: { toolsets: [], tools: [], workspace: directory, maxTurns: 1 },
    head: { system: '', tools: [] },
    hostToolsets: [],
    idleTimeoutMs: 1,
  },
} as unknown as Run;

function timedOut(taskId: string): Outcome {
  const usage = { own: noUsage, subtree: noUsage };
  return { taskId, status: 'timeout', usage, durationMs: 1, agent: { id: 'a1' } } as Outcome;
}

describe('the files of timeouts', () => {
  it('are the last 1,000 that this supervisor wrote; what else lies there stays (C23)', () => {
    const clock = new ManualClock();
    const events = new EventBus(clock);
    const around = { directory, clock, events, credentials: [], models: [], env: {} };
    const earlier = join(directory, 'subagent-timeout-a1-t1-of-an-earlier-process.log');
    writeFileSync(earlier, 'as it was');
    const write = timeoutFiles(around);

    const files: string[] = [];
    for (let at = 1; at <= 1_002; at += 1) {
      files.push(write(agent, timedOut(`t${at}`)) ?? '');
      // Somebody tidies up.
      if (at === 2) rmSync(files[1] ?? '');
    }

    expect(files.filter((file) => !existsSync(file))).toEqual(files.slice(0, 2));
    expect(readdirSync(directory)).toHaveLength(1_001);
    expect(existsSync(earlier)).toBe(true);
    expect(events.kept()).toEqual([]);
  });
});
