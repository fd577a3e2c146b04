// Owns `troupe run` from checked options to exit code: what is opened before anything starts, and closed whatever happens.
import { resolve } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { TroupeError } from '../base/failures.ts';
import { logLine } from '../base/log-line.ts';
import type { Logger, Supervisor } from '../index.ts';
import { answerLines } from './answer.ts';
import { ApprovalPrompt } from './approval-prompt.ts';
import { Approvals } from './approvals.ts';
import { type BegunJob, type LeftJob, leftOf } from './begun-job.ts';
import { Job } from './job.ts';
import { openJob } from './job-input.ts';
import { JobJournal } from './job-journal.ts';
import { jobSupervisor } from './job-supervisor.ts';
import { leastWidth } from './live-frame.ts';
import type { ReadyJob } from './open-job.ts';
import { orchestratorOf } from './orchestrator.ts';
import type { Output } from './output.ts';
import { choosePaint } from './paint.ts';
import { withPriceHint } from './price-option.ts';
import { chooseProgress, type Progress, startProgress } from './progress.ts';
import { reasonOf } from './reason.ts';
import type { ResultRecord } from './record.ts';
import { tableLines } from './result-table.ts';
import { type Results, ResultsFile, ResultsStream } from './results-file.ts';
import type { RunOptions } from './run-options.ts';
import { shownLines, shownOnceWritten } from './shown-result.ts';
import { listenToSignals } from './signals.ts';
import {
  exitCodeOf,
  interruptNotice,
  noToolsNotice,
  offlineNotice,
  pausedNotice,
  placeOf,
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
  #hasRescued = false;
  readonly #approvals: Approvals;
  #prompt: ApprovalPrompt | null = null;

  constructor(options: RunOptions, world: World) {
    this.#options = options;
    this.#world = world;
    this.#approvals = new Approvals(options.approve, (message) => this.#say(message));
    this.#job = new Job(options, world.clock, (record) => this.#rescue(record));
  }

  interrupt(): void {
    this.#job.end({ type: 'signal' });
    this.#say(this.#options.journal === null ? interruptNotice : pausedNotice);
  }

  /**
   * Leaves at once: threads end with the process, results are in the file, the terminal gets its cursor back. Commands
   * do not end with the process, each being in a group of its own: they are killed before.
   */
  abandon(): void {
    void this.#supervisor?.close({ force: true });
    this.#release();
    this.#world.process.exit(130);
  }

  async run(): Promise<number> {
    const journal = await this.#readJournal();
    const supervisor = journal === undefined ? null : this.#createSupervisor(journal);
    if (journal === undefined || supervisor === null) return 2;
    this.#supervisor = supervisor;
    try {
      const whole = await this.#openJob(supervisor);
      // The results of the run before this one are still whole.
      if (whole.type === 'aborted') return 130;
      if (whole.type === 'refused') {
        for (const message of whole.messages) this.#say(message);
        return whole.exitCode;
      }
      const left = await this.#left(whole, journal);
      if (left === null) return 2;
      const { job, notice, isCompleted } = left;
      if (this.#job.signal.aborted) return 130;
      if (notice !== null) this.#say(notice);
      if (job.total === 0 && (job.badLines ?? []).length === 0) return isCompleted ? 0 : 1;
      const results = this.#openResults(left);
      if (results === null) return 2;
      try {
        return await this.#runJob(supervisor, job, results);
      } finally {
        results.close();
      }
    } finally {
      this.#release();
      await supervisor.close();
    }
  }

  /** Null when the options are wrong; the error line is already printed. */
  #createSupervisor(journal: JobJournal | null): Supervisor | null {
    try {
      return jobSupervisor(this.#options, {
        workspace: this.#world.process.cwd(),
        approve: this.#approvals.answer,
        logger: { warn: this.#log, error: this.#log },
        journal: journal?.settings,
      });
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      this.#say(error.message);
      return null;
    }
  }

  #openJob(supervisor: Supervisor) {
    const { input, toolsets, out, journal, keepsGoing } = this.#options;
    return openJob(input, {
      keepsGoing,
      cwd: this.#world.process.cwd(),
      toolsets,
      oneTask: orchestratorOf(this.#options),
      out,
      journal,
      signal: this.#job.signal,
      check: (task) => withPriceHint(() => supervisor.validate(task)),
    });
  }

  /** Null without one; undefined when it cannot be used, which is said. */
  async #readJournal(): Promise<JobJournal | null | undefined> {
    const { journal } = this.#options;
    if (journal === null) return null;
    try {
      return await JobJournal.read(journal, this.#world.process.cwd());
    } catch (error) {
      this.#say(`--journal ${journal} cannot be used: ${reasonOf(error)}`);
      return undefined;
    }
  }

  /** Null when the file of results is none, which is said. */
  async #left(whole: ReadyJob, journal: JobJournal | null): Promise<LeftJob | null> {
    try {
      return await leftOf(whole, this.#options, { cwd: this.#world.process.cwd(), journal });
    } catch (error) {
      this.#say(`--out ${this.#options.out} cannot be resumed: ${reasonOf(error)}`);
      return null;
    }
  }

  #openResults({ earlier: onto, existing }: LeftJob): Results | null {
    const { out } = this.#options;
    const { stdout, process } = this.#world;
    if (out === null) {
      stdout.whenGone(() => {
        this.#job.end({ type: 'failure', message: 'the reader of standard output is gone' });
      });
      return new ResultsStream(stdout);
    }
    try {
      return new ResultsFile(resolve(process.cwd(), out), { existing, onto });
    } catch (error) {
      this.#say(`--out ${out} cannot be written: ${reasonOf(error)}`);
      return null;
    }
  }

  async #runJob(supervisor: Supervisor, ready: BegunJob, results: Results): Promise<number> {
    const { stdout, stderr, clock, process } = this.#world;
    // Who reads records or events from stdout reads nothing else there.
    const view = this.#options.out === null ? stderr : stdout;
    const kind = chooseProgress(this.#options.progress, {
      isTerminal: view.isTerminal,
      term: process.env['TERM'],
    });
    const screen = kind === 'json' ? stderr : view;
    const paint = choosePaint({ isTerminal: screen.isTerminal, env: process.env });
    const notice = offlineNotice(this.#options.model);
    if (notice !== null) screen.line(paint('dim', notice));
    const { input, toolsets } = this.#options;
    if (input.type === 'files' && toolsets.length === 0) this.#say(noToolsNotice);

    this.#job.follow(supervisor, ready);
    if (kind === 'tree') this.#askInView();
    const progress = startProgress(kind, {
      supervisor,
      screen: view,
      paint,
      clock,
      names: this.#job.book.names,
      showsTools: this.#options.roles !== null,
      question: (size) => this.#prompt?.lines(size, paint) ?? [],
      facts: () => this.#job.facts(),
    });
    this.#progress = progress;
    const { show } = this.#options;
    const showResult = (record: ResultRecord): void => {
      const lines = show === null ? [] : shownLines(show, record, paint);
      // A live tree is drawn again after what is beside it.
      if (lines.length === 0) return;
      progress.aside(() => {
        for (const line of lines) screen.line(line);
      });
    };
    await this.#job.run(supervisor, ready, shownOnceWritten(results, showResult));
    const end = this.#job.summary(results);
    await supervisor.close();
    await progress.end();

    const width = screen.isTerminal
      ? Math.max(leastWidth, screen.size().columns - 1)
      : tableWidthOfFiles;
    const { shown, lastText } = this.#job.book;
    const lines = [
      ...tableLines(shown, width, paint),
      ...(ready.isOneAnswer && show !== 'answers' ? answerLines(lastText) : []),
      ...summaryLines(end, paint),
    ];
    for (const line of lines) screen.line(line);
    return exitCodeOf(end);
  }

  /** Keys are read where there is a keyboard. */
  #askInView(): void {
    const { process } = this.#world;
    if (process.stdin.isTTY !== true) return;
    const { names } = this.#job.book;
    this.#prompt = new ApprovalPrompt({
      input: process.stdin,
      labelOf: (taskId) => names.shortLabelOf(taskId),
      onInterrupt: () => process.emit('SIGINT'),
    });
    this.#approvals.askAt(this.#prompt);
  }

  /** Gives the terminal back. */
  #release(): void {
    this.#prompt?.release();
    this.#progress?.release();
  }

  /** A record that its file cannot take is on stderr at least: it has been paid. */
  #rescue(record: ResultRecord): void {
    if (!this.#hasRescued) {
      const place = placeOf(this.#options.out);
      this.#say(`${place} cannot be written any more: what it lacks follows, a record a line`);
    }
    this.#hasRescued = true;
    this.#aside(JSON.stringify(record));
  }

  readonly #log: Logger['warn'] = (fields, message) => this.#say(logLine({ ...fields, message }));

  #say(message: string): void {
    this.#aside(`troupe: ${message}`);
  }

  /** A line beside the progress. */
  #aside(line: string): void {
    const write = (): void => this.#world.stderr.line(line);
    if (this.#progress === null) write();
    else this.#progress.aside(write);
  }
}
