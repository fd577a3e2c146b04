// Owns the sessions of a supervisor: made when first asked for, each with what it may reach. Leaves out what a session is.
import { z } from 'zod';
import { Background } from '../delegation/background.ts';
import { backgroundCalls } from '../delegation/background-calls.ts';
import type { TaskEntry } from '../delegation/task-entry.ts';
import { TroupeError } from '../errors.ts';
import { parseOptions } from '../options.ts';
import { Board } from '../sessions/board.ts';
import { Session } from '../sessions/session.ts';
import type { AnyTool } from '../tools/tool.ts';
import { awaitOutcomes } from './await-outcomes.ts';
import type { System } from './build-system.ts';
import { needsConfirmation } from './confirmations.ts';
import { type DialectOptions, toolsOfDialect } from './dialects.ts';
import { taskHandle } from './task-handle.ts';

export type SessionsOptions = {
  readonly system: System;
  readonly workspace: string;
  readonly tools: readonly (AnyTool | URL)[];
};

const idSchema = z.string().min(1);

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #known = new Map<string, Session<DialectOptions>>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** The session of this id; the same object every time. Throws `invalid_options` for an id that is not a text. */
  of(id: string): Session<DialectOptions> {
    parseOptions(idSchema, id, 'session');
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const session = this.#open(id);
    this.#known.set(id, session);
    return session;
  }

  #open(sessionId: string): Session<DialectOptions> {
    const { system, workspace, tools } = this.#options;
    const { desk, events, clock } = system;
    const warn = (message: string): void => {
      events.emit('log', { sessionId }, { level: 'warn', message });
    };
    const background = new Background(clock, () => {
      // Kept until somebody acknowledges it; `task_completed` has told whoever watches.
    });
    const board = new Board({
      clock,
      onPosted: (entry) => events.emit('board_posted', { sessionId }, { entry }),
    });
    const interrupt = (entry: TaskEntry, reason: string) =>
      desk.interruptTask(entry, { scope: 'run', reason });
    return new Session<DialectOptions>(sessionId, {
      toolsOf: (dialect) => toolsOfDialect(dialect, warn),
      caller: {
        name: sessionId,
        workspace,
        delegate: async (tasks, signal) =>
          awaitOutcomes(desk, desk.submitCall(null, tasks, { sessionId }), signal),
        background: (signal) =>
          backgroundCalls({
            background,
            submit: (task, width) => {
              const [entry] = desk.submitCall(null, [task], { sessionId, width });
              if (entry === undefined) throw new TroupeError('internal', 'a task has no entry');
              return entry;
            },
            interrupt,
            // The program's loop keeps its own conversation: there is no run to tell.
            notify: () => false,
            signal,
          }),
      },
      background,
      board,
      start: (task) => {
        const fromSeq = events.lastSeq;
        const entry = desk.submit(task, { parent: null, index: 0, width: 1, sessionId });
        background.add(entry);
        return taskHandle(entry, system, fromSeq);
      },
      run: async (task, { signal } = {}) => {
        const entries = await desk.submitAll([task], sessionId);
        const [outcome] = await awaitOutcomes(desk, entries, signal);
        if (outcome === undefined) throw new TroupeError('internal', 'a task has no outcome');
        return outcome;
      },
      needsConfirmation: (tool) => needsConfirmation(tool, tools),
      warn,
    });
  }
}
