// Owns `troupe run` from checked options to exit code: what is opened before anything starts, and closed whatever happens.
import { resolve } from 'node:path';
import type { Clock } from '../clock.ts';
import { TroupeError } from '../errors.ts';
import { createSupervisor, type Supervisor } from '../index.ts';
import { answerLines } from './answer.ts';
import type { RunOptions } from './command-line.ts';
import { Job } from './job.ts';
import { openJob, type ReadyJob } from './job-input.ts';
import { orchestratorOf } from './orchestrator.ts';
import type { Output } from './output.ts';
import { choosePaint } from './paint.ts';
import { chooseProgress, type Progress, startProgress } from './progress.ts';
import { reasonOf } from './reason.ts';
import { tableLines } from './result-table.ts';
import { ResultsFile } from './results-file.ts';
import { listenToSignals } from './signals.ts';
import {
  exitCodeOf,
  interruptNotice,
  isEmptyJob,
  noToolsNotice,
  offlineNotice,
  summaryLines,
} from './summary.ts';

/** The process a command is, and what it writes to. */
export type World = {
  readonly process: NodeJS.Process;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
};

/** Runs a job and resolves with the exit code; what is wrong with it is one line on stderr. */
export async function run(options: RunOptions, world: World): Promise<number> {
  const command = new RunCommand(options, world);
  const stopListening = listenToSignals(world.process, {
    onFirst: () => command.interrupt(),
    onSecond: () => command.abandon(),
  });
  try {
    return await command.run();
  } finally {
    stopListening();
  }
}

const tableWidthOfFiles = 120;

class RunCommand {
  readonly #options: RunOptions;
  readonly #world: World;
  readonly #job: Job;
  #supervisor: Supervisor | null = null;
  #progress: Progress | null = null;

  constructor(options: RunOptions, world: World) {
    this.#options = options;
    this.#world = world;
    this.#job = new Job(options, world.clock);
  }

  interrupt(): void {
    this.#job.end({ type: 'signal' });
    this.#say(interruptNotice);
  }

  /**
   * Leaves at once: threads end with the process, results are in the file, the terminal gets its cursor back. Commands
   * do not end with the process, each being in a group of its own: they are killed before.
   */
  abandon(): void {
    void this.#supervisor?.close('now');
    this.#progress?.release();
    this.#world.process.exit(130);
  }

  async run(): Promise<number> {
    const supervisor = this.#createSupervisor();
    if (supervisor === null) return 2;
    this.#supervisor = supervisor;
    try {
      const job = await this.#openJob(supervisor);
      // The results of the run before this one are still whole.
      if (job.type === 'aborted') return 130;
      if (job.type === 'refused') {
        this.#say(job.message);
        return job.exitCode;
      }
      const results = this.#openResults();
      if (results === null) return 2;
      try {
        return await this.#runJob(supervisor, job, results);
      } finally {
        results.close();
      }
    } finally {
      this.#progress?.release();
      await supervisor.close();
    }
  }

  /** Null when the options are wrong; the line that says so is out. */
  #createSupervisor(): Supervisor | null {
    const { model, concurrency, roles, toolsets, idleTimeoutMs, maxTurns, budgetUsd } =
      this.#options;
    try {
      const supervisor = createSupervisor({
        model,
        limits: {
          maxLiveAgents: concurrency,
          ...(roles === null
            ? {}
            : { maxSpawnDepth: roles.maxDepth, maxConcurrentChildren: roles.children }),
        },
        timeouts: { idleTimeoutMs },
        // No run may spend more than the job; the sum of all is watched by the job itself.
        budget: { maxTurns, ...(budgetUsd === null ? {} : { perTree: { maxCostUsd: budgetUsd } }) },
        workspace: this.#world.process.cwd(),
      });
      supervisor.check({ goal: 'any', toolsets });
      return supervisor;
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      this.#say(error.message);
      return null;
    }
  }

  #openJob(supervisor: Supervisor) {
    const { input, toolsets, out } = this.#options;
    return openJob(input, {
      cwd: this.#world.process.cwd(),
      toolsets,
      plan: orchestratorOf(this.#options),
      out,
      signal: this.#job.signal,
      check: (task) => supervisor.check(task),
      onBadLine: (message) => {
        this.#job.book.badLines += 1;
        this.#say(message);
      },
    });
  }

  #openResults(): ResultsFile | null {
    const { out } = this.#options;
    try {
      return new ResultsFile(resolve(this.#world.process.cwd(), out));
    } catch (error) {
      this.#say(`--out ${out} cannot be written: ${reasonOf(error)}`);
      return null;
    }
  }

  async #runJob(supervisor: Supervisor, ready: ReadyJob, results: ResultsFile): Promise<number> {
    const { stdout, stderr, clock, process } = this.#world;
    const kind = chooseProgress(this.#options.progress, {
      isTerminal: stdout.isTerminal,
      term: process.env['TERM'],
    });
    // Who reads events from stdout reads nothing else there.
    const screen = kind === 'json' ? stderr : stdout;
    const paint = choosePaint({ isTerminal: screen.isTerminal, env: process.env });
    const notice = offlineNotice(this.#options.model);
    if (notice !== null) screen.line(paint('dim', notice));
    const { input, toolsets } = this.#options;
    if (input.type === 'files' && toolsets.length === 0) this.#say(noToolsNotice);

    this.#job.follow(supervisor, ready);
    const progress = startProgress(kind, {
      supervisor,
      stdout,
      paint,
      clock,
      names: this.#job.book.names,
      showsTools: this.#options.roles !== null,
      facts: () => this.#job.facts(),
    });
    this.#progress = progress;
    await this.#job.run(supervisor, ready.items(), results);
    const end = this.#job.summary(results);
    await supervisor.close();
    await progress.end();

    if (isEmptyJob(end)) this.#say('nothing to run: the file holds no task');
    const width = screen.isTerminal ? screen.size().columns - 1 : tableWidthOfFiles;
    const { standing, lastText } = this.#job.book;
    const lines = [
      ...tableLines(standing, width, paint),
      ...(ready.isOneAnswer ? answerLines(lastText) : []),
      ...summaryLines(end, paint),
    ];
    for (const line of lines) screen.line(line);
    return exitCodeOf(end);
  }

  #say(message: string): void {
    const write = (): void => this.#world.stderr.line(`troupe: ${message}`);
    if (this.#progress === null) write();
    else this.#progress.aside(write);
  }
}
