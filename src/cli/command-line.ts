// Owns the command line: its arguments, their defaults, and the errors for invalid ones. Starts nothing.
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { ModelPrice } from '../index.ts';
import { describeInit, type InitCommand } from './init-command.ts';
import { readPrice } from './price-option.ts';
import { parseDuration } from './units.ts';

const progressKinds = ['tree', 'plain', 'json', 'none'] as const;
export type ProgressKind = (typeof progressKinds)[number];

const showKinds = ['answers', 'failures'] as const;
/** `answers`: each text whole, that of a failed task as well. `failures`: each failure and timeout with its reason. */
export type ShowKind = (typeof showKinds)[number];

/** Where the tasks of a job come from. */
export type JobInput =
  | { readonly type: 'tasks'; readonly path: string }
  | { readonly type: 'goal'; readonly goal: string }
  | { readonly type: 'files'; readonly goal: string; readonly pattern: string };

/** How far an orchestrator may share its goal out. */
type RolesOptions = {
  /** Levels below it, 1 to 3. */
  readonly maxDepth: number;
  /** Subagents of one call. */
  readonly children: number;
};

export type RunOptions = {
  readonly input: JobInput;
  /** One orchestrator for the whole goal; null: an agent per task, and none delegates. */
  readonly roles: RolesOptions | null;
  readonly model: string;
  readonly concurrency: number;
  readonly toolsets: readonly string[];
  /** A file; null: standard output. */
  readonly out: string | null;
  /** What becomes of a file of results that is there already. */
  readonly existing: 'refuse' | 'overwrite' | 'resume';
  /** Null: a tree on a terminal, else plain lines. */
  readonly progress: ProgressKind | null;
  /** What is printed of each result as it comes; null: nothing. */
  readonly show: ShowKind | null;
  readonly idleTimeoutMs: number;
  readonly maxTurns: number;
  readonly budgetUsd: number | null;
  /** By the model's name. */
  readonly prices: Readonly<Record<string, ModelPrice>>;
};

export type CommandLine =
  | { readonly type: 'run'; readonly options: RunOptions }
  | InitCommand
  /** Nothing was asked for. */
  | { readonly type: 'introduction' }
  /** Help or the version, as asked for. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'misuse'; readonly text: string };

/** What commander hands over: every value has been through its parser below. */
type RawOptions = Omit<
  RunOptions,
  | 'input'
  | 'roles'
  | 'out'
  | 'existing'
  | 'progress'
  | 'show'
  | 'budgetUsd'
  | 'idleTimeoutMs'
  | 'prices'
> & {
  readonly price?: Readonly<Record<string, ModelPrice>>;
  readonly roles?: true;
  readonly maxDepth?: number;
  readonly children?: number;
  readonly goal?: string;
  readonly each?: string;
  readonly out: string;
  readonly overwrite?: true;
  readonly resume?: true;
  readonly progress?: ProgressKind;
  readonly show?: ShowKind;
  readonly idleTimeout: number;
  readonly budgetUsd?: number;
};

/** Reads the arguments after `node troupe`. */
export function readCommandLine(args: readonly string[], version: string): CommandLine {
  if (args.length === 0) return { type: 'introduction' };
  const printed: string[] = [];
  const read: { command: CommandLine | null } = { command: null };
  const program = describeProgram(version, (command) => {
    read.command = command;
  });
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => printed.push(text),
      writeErr: (text) => printed.push(text),
    });
  }
  try {
    program.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const text = printed.join('');
    if (error.exitCode === 0) return { type: 'text', text };
    // Of options without a command there is no error to name: commander shows what there is.
    if (error.code === 'commander.help') return { type: 'misuse', text };
    return misuse(text.trim().replace(/^error: /, ''));
  }
  return read.command ?? misuse('no command was given');
}

function describeProgram(version: string, onCommand: (command: CommandLine) => void): Command {
  const program = new Command('troupe')
    .description('Runs LLM subagents as actors, each on a thread of its own.')
    .version(version, '-V, --version', 'print the version')
    .helpCommand(false);
  describeInit(program, (read) => onCommand(typeof read === 'string' ? misuse(read) : read));
  program
    .command('run')
    .description('Run one subagent per task and write one outcome per line.')
    .argument('[tasks.jsonl]', 'one JSON task per line; only "goal" is required')
    .option('--goal <text>', 'what to do; with --each, {file} stands for the path')
    .option('--each <glob>', 'one task per file that matches, below the current folder')
    .option(
      '--roles',
      'one orchestrator plans the goal, with --each over these files, and delegates',
    )
    .option('--max-depth <n>', 'with --roles: levels of delegation, 1 to 3 (default: 2)', depth)
    .option('--children <n>', 'with --roles: subagents of one call (default: 3)', wholeFromOne)
    .option('--model <name>', '"offline", "anthropic:<model id>" or "openai:<model id>"', 'offline')
    .option('--concurrency <n>', 'agents that run at a time', wholeFromOne, 8)
    .option(
      '--toolsets <names>',
      'comma-separated; "file" lists, finds, reads and writes; with --roles the default',
      names,
      [],
    )
    .option('--out <file>', 'a new file for the outcomes; - is standard output', 'results.jsonl')
    .option('--overwrite', 'replaces the file of --out when there is one')
    .option('--resume', 'leaves out what is completed in the file of --out, and adds the rest')
    .addOption(
      new Option('--progress <kind>', 'default: tree on a terminal, else plain').choices(
        progressKinds,
      ),
    )
    .addOption(
      new Option(
        '--show <results>',
        'prints each answer whole, or each failure, as it comes',
      ).choices(showKinds),
    )
    .addOption(
      new Option('--idle-timeout <time>', 'ends a run without activity, such as 30s, 10m, 1h')
        .argParser(duration)
        .default(600_000, '10m'),
    )
    .option('--max-turns <n>', 'model responses of one run', wholeFromOne, 50)
    .option('--budget-usd <amount>', 'ends the job when this much is spent', dollars)
    .option(
      '--price <model=in,out>',
      'US dollars per million tokens, or model=0, for a model no table knows; repeatable',
      readPrice,
    )
    .addHelpText('after', afterHelp)
    .action((path: string | undefined, raw: RawOptions) => onCommand(readRun(path, raw)));
  return program;
}

const afterHelp = `
Examples:
  troupe run --goal 'Summarise {file}' --each 'docs/**/*.md' --toolsets file
  troupe run tasks.jsonl --model anthropic:claude-sonnet-5 --budget-usd 5 --out answers.jsonl
  troupe run tasks.jsonl --out answers.jsonl --resume
  troupe run --roles --goal 'Compare the documents' --each 'docs/**/*.md' --out -

With --roles a goal is one tree: the orchestrator hands parts of it to subagents, and to
orchestrators that share them out further, as many levels as --max-depth says. Every one of
them has a line in the file of outcomes, its own orchestrator's after it.

A file of tasks is checked to its last line before the first task starts. After an interrupt,
a crash or failures the same command with --resume runs what is not completed in its file; a task
that is run again has a further line there, and the last one counts. With --out - the
outcomes alone are on standard output, and the view is on standard error.

Exit code: 0 all completed, 1 some failed, 2 misuse, 130 interrupted.
Ctrl-C once interrupts the agents and keeps what is finished, twice exits at once.`;

function readRun(path: string | undefined, raw: RawOptions): CommandLine {
  const input = readInput(path, raw);
  if (typeof input === 'string') return misuse(input);
  const roles = readRoles(input, raw);
  if (typeof roles === 'string') return misuse(roles);
  const { model, concurrency, toolsets, out, maxTurns } = raw;
  if (out === '') return misuse('--out is empty: expected a file, or - for standard output');
  if (out === '-' && raw.progress === 'json') {
    return misuse('--out - and --progress json both write standard output: give --out a file');
  }
  if (raw.resume && raw.overwrite) {
    return misuse('--resume goes on with a file that --overwrite would replace: give one of them');
  }
  if (raw.resume && roles !== null) {
    return misuse('--resume goes on with a job of many tasks: with --roles there is one');
  }
  if (raw.resume && out === '-') {
    return misuse('--resume needs the file of an earlier job: give --out a file');
  }
  return {
    type: 'run',
    options: {
      input,
      roles,
      model,
      concurrency,
      // Without the file tools no agent could open the files that the job is about.
      toolsets: roles !== null && toolsets.length === 0 ? ['file'] : toolsets,
      out: out === '-' ? null : out,
      existing: raw.resume ? 'resume' : raw.overwrite ? 'overwrite' : 'refuse',
      progress: raw.progress ?? null,
      show: raw.show ?? null,
      idleTimeoutMs: raw.idleTimeout,
      maxTurns,
      budgetUsd: raw.budgetUsd ?? null,
      prices: raw.price ?? {},
    },
  };
}

/** The limits of an orchestrator, or what is wrong with them. */
function readRoles(input: JobInput, raw: RawOptions): RolesOptions | null | string {
  const { roles, maxDepth, children } = raw;
  if (roles === undefined) {
    if (maxDepth !== undefined) return '--max-depth needs --roles: nobody delegates without it';
    if (children !== undefined) return '--children needs --roles: nobody delegates without it';
    return null;
  }
  if (input.type === 'tasks') return `--roles plans one goal: give --goal instead of ${input.path}`;
  return { maxDepth: maxDepth ?? 2, children: children ?? 3 };
}

/** The input, or what is wrong with it. */
function readInput(path: string | undefined, { goal, each }: RawOptions): JobInput | string {
  if (path === '') return 'the name of the file of tasks is empty';
  if (each === '') return '--each is empty: expected a glob';
  if (path !== undefined) {
    if (goal !== undefined) return `give either ${path} or --goal, not both`;
    if (each !== undefined) return `give either ${path} or --each, not both`;
    return { type: 'tasks', path };
  }
  if (goal === undefined) {
    return each === undefined
      ? 'nothing to run: give a file of tasks, or --goal'
      : '--each needs --goal: what to do with each file';
  }
  if (goal.trim() === '') return '--goal is empty: expected what to do';
  return each === undefined ? { type: 'goal', goal } : { type: 'files', goal, pattern: each };
}

function wholeFromOne(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('Expected a whole number from 1.');
}

function depth(text: string): number {
  if (/^[123]$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected 1, 2 or 3.');
}

function dollars(text: string): number {
  const value = Number(text);
  if (/^\d*\.?\d+$/.test(text) && value > 0) return value;
  throw new InvalidArgumentError('Expected an amount above 0, such as 2 or 0.50.');
}

function duration(text: string): number {
  const ms = parseDuration(text);
  if (ms !== null) return ms;
  throw new InvalidArgumentError('Expected a time above 0, such as 500ms, 30s, 10m or 1h.');
}

function names(text: string): readonly string[] {
  return [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '');
}

function misuse(message: string): CommandLine {
  return { type: 'misuse', text: `troupe: ${message}\n` };
}
