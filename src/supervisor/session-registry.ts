// Owns the sessions of a supervisor: made when first asked for, each with what it may reach. Leaves out what a session is.
import { z } from 'zod';
import { TroupeError } from '../base/failures.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { SessionHost } from '../sessions/dialect.ts';
import { DialectStates } from '../sessions/dialect-states.ts';
import type { ExpiredSession, RunEnd, SessionEnd } from '../sessions/run-end.ts';
import { Session } from '../sessions/session.ts';
import { Background } from '../tasks/services/background.ts';
import { taskControls } from '../tasks/task-controls.ts';
import type { AnyTool } from '../tools/tool.ts';
import { awaitOutcomes } from './await-outcomes.ts';
import type { SupervisorParts } from './build-supervisor.ts';
import { delegateSchema } from './call-options.ts';
import { sessionApprovals } from './session-approvals.ts';
import { sessionBoard } from './session-board.ts';
import { sessionServices } from './session-services.ts';
import { taskHandle } from './task-handle.ts';

export type SessionRegistryOptions = {
  readonly system: SupervisorParts;
  readonly workspace: string;
  readonly tools: readonly (AnyTool | URL)[];
};

const idSchema = z.string().min(1);

type Known = {
  readonly session: Session;
  readonly background: Background;
  readonly states: DialectStates;
  /** It is not needed any more. */
  readonly forget: () => void;
  usedAt: number;
  usedAtWallTime: number;
};

/** A session that is unused for longer is forgotten (A75). */
const maxIdleMs = 1_800_000;

export class SessionRegistry {
  readonly #options: SessionRegistryOptions;
  /** In the order they were last used. */
  readonly #known = new Map<string, Known>();
  #lastCall = 0;
  #lastNumber = 0;

  constructor(options: SessionRegistryOptions) {
    this.#options = options;
  }

  /** The session of this id; the same object until it ends. Throws `invalid_options` for an id that is not a text. */
  of(id: string): Session {
    parseOptions(idSchema, id, 'session');
    const known = this.#known.get(id);
    return known === undefined ? this.#open(id).session : known.session;
  }

  has(id: string): boolean {
    return this.#known.has(id) || this.#options.system.scheduler.earlierSessions.has(id);
  }

  /** Counted over all sessions: one that is reset and made anew repeats none. */
  #nextCallId(): string {
    this.#lastCall += 1;
    return `call_${this.#lastCall}`;
  }

  #nextNumber(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  #used(sessionId: string, known: Known): void {
    const { clock } = this.#options.system;
    known.usedAt = clock.now();
    known.usedAtWallTime = clock.wallTime();
    // A session that was forgotten and is used all the same is known again, unless another has its name by now.
    const named = this.#known.get(sessionId);
    if (named !== undefined && named !== known) return;
    this.#known.delete(sessionId);
    this.#known.set(sessionId, known);
  }

  /** What the end of a run of the program's loop comes to. */
  #endRun(sessionId: string, known: Known): RunEnd {
    this.#used(sessionId, known);
    return { ...known.states.endRun(), expired: this.#expire() };
  }

  /** Forgets sessions that were idle too long. A running task or an unacknowledged result keeps its session (A75). */
  #expire(): readonly ExpiredSession[] {
    const { events } = this.#options.system;
    const expired: ExpiredSession[] = [];
    for (const [sessionId, { states, background, forget }, idleMs] of this.#idle()) {
      const retention = states.retention();
      if (retention.need !== 'idle' || background.list().length > 0) continue;
      this.#known.delete(sessionId);
      forget();
      const { agents } = retention;
      expired.push({ sessionId, idleMs, agents });
      const message = `session ${sessionId} with ${agents} subagents was idle for ${Math.round(idleMs / 1_000)} s and is forgotten`;
      events.emit('log', { sessionId }, { level: 'warn', message });
    }
    return expired;
  }

  /** Forgets empty idle sessions: a new one of that name is equal. A service may name one per conversation. */
  #forgetBare(): void {
    for (const [sessionId, known] of this.#idle()) {
      if (!isBare(known)) continue;
      this.#known.delete(sessionId);
      known.forget();
    }
  }

  /** Sessions that were unused for too long, with their idle time in milliseconds. */
  *#idle(): Iterable<readonly [string, Known, number]> {
    const now = this.#options.system.clock.now();
    for (const [sessionId, known] of this.#known) {
      const idleMs = now - known.usedAt;
      // The others were used later.
      if (idleMs <= maxIdleMs) return;
      yield [sessionId, known, idleMs];
    }
  }

  async #reset(sessionId: string, known: Known): Promise<SessionEnd> {
    if (this.#known.get(sessionId) === known) this.#known.delete(sessionId);
    const { states, background, session, forget } = known;
    session.board.clear();
    session.board.turnOff();
    forget();
    const reason = `session ${sessionId} was reset`;
    const ended = states.reset();
    const { scheduler } = this.#options.system;
    await background.whenHere();
    await Promise.all(
      background.unfinished().map(async (entry) => {
        await scheduler.interrupts.interruptTask(entry.id, { reason });
        const { status } = await entry.result;
        // The caller of the reset knows of it; a task that ended first is kept until it is acknowledged (S9).
        if (status === 'interrupted') background.acknowledgeTask(entry.id);
      }),
    );
    return ended;
  }

  #open(sessionId: string): Known {
    this.#forgetBare();
    const { system, workspace, tools } = this.#options;
    const { scheduler, events, clock, graces } = system;
    const warn = (message: string): void => {
      events.emit('log', { sessionId }, { level: 'warn', message });
    };
    const { earlierSessions } = scheduler;
    const stored = earlierSessions.take(sessionId);
    for (const problem of stored?.problems ?? []) warn(`of session ${sessionId} ${problem}`);
    // Its tasks live as long as it. Their results are kept until they are acknowledged; `task_completed` notifies listeners.
    const background = new Background(clock, {
      submit: (task, call) => {
        used();
        const about = { sessionId, isBackground: true, ...call } as const;
        return scheduler.submissions.submitCall(null, [task], about);
      },
      acknowledged: (taskId) => scheduler.dispatch({ type: 'acknowledged', taskId, waiter: null }),
      interrupt: (taskId, reason) =>
        scheduler.interrupts.interruptTask(taskId, { scope: 'run', reason }),
      ...taskControls(scheduler),
    });
    const coming: Promise<void>[] = [];
    for (const { outcome, ...each } of stored?.tasks ?? []) {
      if (outcome === null) {
        const { entry, ready } = earlierSessions.follow({ ...each, outcome });
        background.add(entry);
        coming.push(ready);
      } else background.addEnded({ ...each, outcome }, false);
    }
    if (coming.length > 0) background.expect(Promise.all(coming).then(() => {}));
    const { board, forget } = sessionBoard(sessionId, stored, system);
    const used = (): void => this.#used(sessionId, known);
    const run: SessionHost['run'] = async (task, { onAccepted, ...options } = {}) => {
      const { signal } = parseOptions(delegateSchema, options, 'session.run');
      used();
      const entries = await scheduler.submissions.submitAll([task], { sessionId, signal });
      for (const { id } of entries) onAccepted?.(id);
      const [outcome] = await awaitOutcomes(scheduler, entries, signal);
      if (outcome === undefined) throw new TroupeError('internal', 'a task has no outcome');
      return outcome;
    };
    const hostOf = (isCurrent: () => boolean): SessionHost =>
      sessionServices({
        system,
        sessionId,
        workspace,
        tools,
        background,
        board,
        use: (dialect) => known.states.use(dialect),
        run,
        nextNumber: () => this.#nextNumber(),
        // A late event of a run does not bring back a session that was reset.
        touch: () => this.#known.get(sessionId) === known && used(),
        lastActivityAt: () => known.usedAtWallTime,
        // Nor does it end what a session of that name has now.
        endRun: (end) => {
          if (!isCurrent()) return;
          used();
          end();
          this.#expire();
        },
      });
    const session = new Session(sessionId, {
      use: (dialect) => {
        used();
        return known.states.use(dialect);
      },
      beginRun: () => {
        used();
        known.states.beginRun();
      },
      endRun: () => this.#endRun(sessionId, known),
      reset: () => this.#reset(sessionId, known),
      caller: {
        name: sessionId,
        workspace,
        reach: system.resolver.reachOfLoop,
        after: (delayMs, fire) => clock.after(delayMs, fire),
        now: () => clock.now(),
        graceMs: graces.interruptGraceMs + graces.stopGraceMs,
        nextCallId: () => this.#nextCallId(),
        delegate: async (tasks, signal) => {
          used();
          return awaitOutcomes(
            scheduler,
            scheduler.submissions.submitCall(null, tasks, { sessionId, signal }),
            signal,
          );
        },
        background: (signal) => background.calls(signal),
        approvals: sessionApprovals(system, sessionId),
      },
      background,
      board,
      start: (task, options = {}) => {
        const { signal } = parseOptions(delegateSchema, options, 'session.start');
        used();
        background.refuseWhenFull();
        const fromSeq = events.lastSeq;
        const entry = scheduler.submissions.submit(task, {
          parent: null,
          index: 0,
          width: 1,
          sessionId,
          isBackground: true,
          signal,
        });
        if (signal !== undefined) void awaitOutcomes(scheduler, [entry], signal);
        background.add(entry);
        return taskHandle(entry, system, fromSeq);
      },
      run,
      warn,
    });
    const known: Known = {
      session,
      background,
      states: new DialectStates(hostOf),
      forget,
      usedAt: clock.now(),
      usedAtWallTime: clock.wallTime(),
    };
    this.#known.set(sessionId, known);
    return known;
  }
}

/** True for a session that has nothing which another of its name would lack. */
function isBare({ states, background, session: { board } }: Known): boolean {
  if (board.isOn || states.retention().need !== 'none') return false;
  return background.list().length === 0 && board.entries().length === 0;
}
