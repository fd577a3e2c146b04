// Checks the live tree as a terminal gets it: ends above the frame, each once, and nothing of them drawn over (C42).
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { Output } from '#src/cli/output.js';
import { plainPaint } from '#src/cli/paint.js';
import { startProgress } from '#src/cli/progress.js';
import type { Outcome, Supervisor } from '#src/index.js';
import { emptyTally } from '#src/observe/tally.js';
import { ManualClock } from '#src/testing.js';

const esc = '\u001b';

/** A terminal that keeps what is written, and a supervisor that says what it is told to. */
function liveTree() {
  const written: string[] = [];
  const stream = Object.assign(new EventEmitter(), {
    isTTY: true,
    columns: 80,
    rows: 24,
    write: (text: string) => written.push(text),
  });
  const listeners = new Set<(event: unknown) => void>();
  const supervisor = {
    tree: () => [],
    on: (_type: string, listener: (event: unknown) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const clock = new ManualClock();
  const progress = startProgress('tree', {
    // The live tree reads these two of a supervisor, and the stream is one as far as it is written to.
    supervisor: supervisor as unknown as Supervisor,
    screen: new Output(stream as unknown as NodeJS.WriteStream),
    paint: plainPaint,
    clock,
    showsTools: true,
    names: { labelOf: (taskId) => `label of ${taskId}`, shortLabelOf: (taskId) => taskId },
    facts: () => ({ tally: emptyTally, total: 3, elapsedMs: 0, isStopping: false }),
  });
  const end = (taskId: string): void => {
    const usage = { subtree: { inputTokens: 1, outputTokens: 1 } };
    const figures = { turns: 1, toolCalls: 0, durationMs: 1, usage };
    const outcome = { taskId, status: 'completed', ...figures } as unknown as Outcome;
    for (const tell of [...listeners]) tell({ outcome });
  };
  return { written, clock, progress, end, listeners };
}

test('puts one line per ended task above the frame, with the next frame (C42)', async () => {
  const { written, clock, end } = liveTree();

  end('t1');
  end('t2');
  expect(written).toHaveLength(1);
  await clock.advance(80);
  await clock.advance(80);

  const [, second = '', third = ''] = written;
  const lines = second.split('\n');
  expect(lines[0]).toMatch(/✓ label of t1 {2}completed {2}1 turn {2}0 tool calls {2}2 tokens/);
  expect(lines[0]?.startsWith(`${esc}[2A\r`)).toBe(true);
  expect(lines[1]).toMatch(/^✓ label of t2 {2}completed/);
  expect(lines[2]).toMatch(/running/);
  // The next one goes back over the frame alone.
  expect(third).toMatch(/^.\[2A\r/);
  expect(third).not.toContain('label of');
});

test('says what ended before it gives the terminal back, once', async () => {
  const { written, progress, end, listeners } = liveTree();

  end('t1');
  await progress.end();
  progress.release();

  expect(written.join('').match(/label of t1/g)).toHaveLength(1);
  expect(written.at(-1)).toContain(`${esc}[?25h`);
  expect(listeners.size).toBe(0);
});

test('lets others write below what ended, and goes on', async () => {
  const { written, clock, progress, end } = liveTree();

  end('t1');
  progress.aside(() => written.push('said beside it'));
  end('t2');
  await clock.advance(80);

  const text = written.join('');
  expect(text.indexOf('label of t1')).toBeLessThan(text.indexOf('said beside it'));
  expect(text.indexOf('said beside it')).toBeLessThan(text.indexOf('label of t2'));
});
