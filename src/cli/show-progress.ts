// Owns the progress that a program shows of its own supervisor: the live tree of the command, or its plain lines.
import { z } from 'zod';
import { type Clock, systemClock } from '../base/clock.ts';
import { describe, TroupeError } from '../base/failures.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { Supervisor } from '../index.ts';
import { count, emptyTally, endedOf, tallied } from '../observe/tally.ts';
import { Output } from './output.ts';
import { choosePaint } from './paint.ts';
import { chooseProgress, startProgress } from './progress.ts';
import { TaskNames } from './task-names.ts';
import { labelOf } from './text.ts';

/** Where progress is shown, and how. */
export type ShowProgressOptions = {
  /** Where it is written. Default `process.stderr`. */
  readonly stream?: NodeJS.WriteStream;
  /** The number of tasks there will be, for the percentage and the time left. Default: those handed over so far. */
  readonly total?: number;
  /** `tree` is drawn in place, `plain` is a line per start and end. Default: `tree` on a terminal, else `plain`. */
  readonly kind?: 'tree' | 'plain';
  /** The time of the frames. Default: that of the machine. */
  readonly clock?: Clock;
};

const schema = z.strictObject({
  stream: z.custom<NodeJS.WriteStream>(isWritable, 'expected a stream to write to').optional(),
  total: z.number().int().min(0).optional(),
  kind: z.enum(['tree', 'plain']).optional(),
  clock: z.custom<Clock>((value) => typeof value === 'object' && value !== null).optional(),
});

function isWritable(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'write' in value &&
    typeof value.write === 'function'
  );
}

/**
 * Shows what the agents of a supervisor do, until it closes or the returned function is called: that takes the tree off
 * the terminal and leaves the lines of the tasks that ended. The stream is not closed, and the process is not kept alive.
 * Colours follow `NO_COLOR` and `TERM`. Throws `invalid_options`.
 */
export function showProgress(
  supervisor: Supervisor,
  options: ShowProgressOptions = {},
): () => void {
  if (typeof supervisor?.on !== 'function') {
    const seen = describe(supervisor);
    throw new TroupeError('invalid_options', `showProgress: supervisor is ${seen}`);
  }
  parseOptions(schema, options, 'showProgress');
  const { stream = process.stderr, total, kind, clock = systemClock } = options;
  const { env } = process;
  const screen = new Output(stream);
  const { isTerminal } = screen;
  const startedAt = clock.now();
  const roots = new Map<string, string>();
  const names = new TaskNames((taskId) => roots.get(taskId) ?? null);
  let tally = emptyTally;
  const stops = [...tallied, 'agent_started' as const].map((type) =>
    supervisor.on(type, (event) => {
      tally = count(tally, event);
      const isNew = event.type === 'task_queued' || event.type === 'task_recovered';
      if (isNew && event.parentId === undefined) {
        roots.set(event.taskId ?? '', labelOf(event.goal));
      }
      names.record(event);
    }),
  );
  const progress = startProgress(kind ?? chooseProgress(null, { isTerminal, term: env['TERM'] }), {
    supervisor,
    screen,
    paint: choosePaint({ isTerminal, env }),
    clock,
    names,
    showsTools: false,
    keepsCursor: true,
    facts: () => ({
      tally,
      total: Math.max(total ?? 0, tally.queued + tally.running + endedOf(tally)),
      elapsedMs: clock.now() - startedAt,
      isStopping: false,
    }),
  });
  // After the progress, which names the task in the line of its end.
  const forget = supervisor.on('task_completed', ({ taskId = '', parentId }) => {
    if (parentId !== undefined) return;
    names.forget(taskId);
    roots.delete(taskId);
  });
  const closing = new AbortController();
  const stop = (): void => {
    closing.abort();
    for (const each of [...stops, forget]) each();
    progress.release();
    screen.detach();
  };
  void whenClosed(supervisor, closing.signal).then(stop);
  return stop;
}

/** The stream of its events ends when it closes. */
async function whenClosed(supervisor: Supervisor, signal: AbortSignal): Promise<void> {
  const events = supervisor.events({ types: [], signal });
  await events.next();
}
