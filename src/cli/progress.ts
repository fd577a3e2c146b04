// Owns how a running job is shown: a live tree, plain lines, events as JSON lines, or nothing. Reads, changes nothing.
import type { Clock } from '../base/clock.ts';
import { unreachable } from '../base/failures.ts';
import type { Outcome, Supervisor } from '../index.ts';
import { countOf } from './head-line.ts';
import { type FrameFacts, type FrameSize, leastWidth, liveFrame } from './live-frame.ts';
import type { Output } from './output.ts';
import type { Paint } from './paint.ts';
import { endLine, type PlainLineOptions, plainLine, plainTypes } from './plain-lines.ts';
import { addSample, firstSamples, perSecondOf } from './rate.ts';
import type { ProgressKind } from './run-options.ts';
import { Screen } from './screen.ts';
import type { TaskNames } from './task-names.ts';
import { oneLine } from './text.ts';

/** What shows a job while it runs. */
export interface Progress {
  /** Writes to the same terminal beside the progress. */
  aside(write: () => void): void;
  /** Gives the terminal back, at once. Idempotent. */
  release(): void;
  /** Resolves when everything there was to show is shown. */
  end(): Promise<void>;
}

export type ProgressOptions = {
  readonly supervisor: Supervisor;
  readonly screen: Output;
  readonly paint: Paint;
  readonly clock: Clock;
  readonly names: Pick<TaskNames, 'labelOf' | 'shortLabelOf'>;
  /** Plain lines report tool calls as well. */
  readonly showsTools: PlainLineOptions['showsTools'];
  /** The cursor stays on: a program that is killed leaves no terminal without one. Default: it is hidden. */
  readonly keepsCursor?: boolean;
  /** What a frame shows below the tree: a question of an agent's. */
  question?(size: FrameSize): readonly string[];
  /** What a frame shows beside the tree. */
  facts(): Omit<FrameFacts, 'tick' | 'tree' | 'labelOf' | 'perSecond'>;
};

/** A tree needs a terminal; what is none, and what cannot move its cursor, gets plain lines. */
export function chooseProgress(
  asked: ProgressKind | null,
  facts: { readonly isTerminal: boolean; readonly term: string | undefined },
): ProgressKind {
  if (asked !== null && asked !== 'tree') return asked;
  return facts.isTerminal && facts.term !== 'dumb' ? 'tree' : 'plain';
}

export function startProgress(kind: ProgressKind, options: ProgressOptions): Progress {
  switch (kind) {
    case 'tree':
      return new LiveTree(options);
    case 'plain':
      return plainLines(options);
    case 'json':
      return eventLines(options);
    case 'none':
      return { aside: (write) => write(), release: () => {}, end: async () => {} };
    default:
      return unreachable(kind);
  }
}

function plainLines(options: ProgressOptions): Progress {
  const { supervisor, screen } = options;
  const stops = plainTypes.map((type) =>
    supervisor.on(type, (event) => {
      const line = plainLine(event, options);
      if (line !== null) screen.line(oneLine(line));
    }),
  );
  const release = (): void => {
    for (const stop of stops) stop();
  };
  return { aside: (write) => write(), release, end: async () => release() };
}

function eventLines({ supervisor, screen }: ProgressOptions): Progress {
  const stop = new AbortController();
  const events = supervisor.events({ afterSeq: 0, signal: stop.signal });
  const pump = async (): Promise<void> => {
    for await (const event of events) screen.line(JSON.stringify(event));
  };
  const done = pump();
  return {
    aside: (write) => write(),
    release: () => stop.abort(),
    // The reader ends when the supervisor has closed, after the last event.
    end: () => done,
  };
}

const frameMs = 80;

class LiveTree implements Progress {
  readonly #options: ProgressOptions;
  readonly #screen: Screen;
  #tick = 0;
  #samples = firstSamples;
  #cancelNext: () => void = () => {};
  #isReleased = false;
  /** Of tasks that ended since the last frame: they go above it and stay there (C42). */
  #ends: string[] = [];
  readonly #stopListening: () => void;

  constructor(options: ProgressOptions) {
    const { screen, supervisor, keepsCursor = false } = options;
    this.#stopListening = supervisor.on('task_completed', ({ outcome }) =>
      this.#showOutcome(outcome),
    );
    this.#options = options;
    this.#screen = new Screen({
      write: (text) => screen.write(text),
      size: () => screen.size(),
      keepsCursor,
    });
    this.#draw();
  }

  aside(write: () => void): void {
    this.#showEnds([]);
    this.#screen.release();
    write();
    if (!this.#isReleased) this.#paint();
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#stopListening();
    this.#cancelNext();
    this.#showEnds([]);
    this.#screen.release();
  }

  async end(): Promise<void> {
    this.release();
  }

  #draw(): void {
    this.#paint();
    this.#tick += 1;
    this.#cancelNext = this.#options.clock.after(frameMs, () => this.#draw());
  }

  #paint(): void {
    const { supervisor, screen, paint, names } = this.#options;
    const facts = this.#options.facts();
    const now = { ended: countOf(facts)?.done ?? 0, atMs: facts.elapsedMs };
    this.#samples = addSample(this.#samples, now);
    const frame = {
      ...facts,
      perSecond: perSecondOf(this.#samples, now),
      tree: supervisor.tree(),
      tick: this.#tick,
      labelOf: (taskId: string): string | null => names.shortLabelOf(taskId),
    };
    const size = screen.size();
    const asked = this.#options.question?.(size) ?? [];
    const rows = size.rows - asked.length;
    this.#showEnds([...liveFrame(frame, { ...size, rows }, paint), ...asked]);
  }

  #showOutcome(outcome: Outcome): void {
    const { names, screen, paint } = this.#options;
    const label = names.labelOf(outcome.taskId) ?? outcome.taskId;
    const width = Math.max(leastWidth, screen.size().columns - 1);
    this.#ends.push(endLine(label, outcome, width, paint));
  }

  /** Draws a frame below what ended; nothing at all when there is neither. */
  #showEnds(frame: readonly string[]): void {
    const ends = this.#ends;
    this.#ends = [];
    if (ends.length > 0 || frame.length > 0) this.#screen.draw(frame, ends);
  }
}
