// Owns the command line: its commands, their arguments with defaults and help, and the errors for invalid ones. Starts nothing.
import { Command, CommanderError, Option } from 'commander';
import { readApprove, readPatterns } from './approval-options.ts';
import { describeInit, type InitCommand } from './init-command.ts';
import { describeJournal, type JournalCommand } from './journal-options.ts';
import {
  depth,
  dollars,
  duration,
  durationOrNone,
  names,
  wholeFromOne,
  wholeFromZero,
} from './option-values.ts';
import { readPrice } from './price-option.ts';
import {
  progressKinds,
  type RawOptions,
  type RunOptions,
  readRun,
  showKinds,
} from './run-options.ts';

export type CommandLine =
  | { readonly type: 'run'; readonly options: RunOptions }
  | InitCommand
  | JournalCommand
  /** Nothing was asked for. */
  | { readonly type: 'introduction' }
  /** Help or the version, as asked for. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'misuse'; readonly text: string };

/** Reads the arguments after `node troupe`. */
export function readCommandLine(args: readonly string[], version: string): CommandLine {
  if (args.length === 0) return { type: 'introduction' };
  const printed: string[] = [];
  const read: { command: CommandLine | null } = { command: null };
  const program = describeProgram(version, (command) => {
    read.command = command;
  });
  const below = program.commands.flatMap(({ commands }) => commands);
  for (const command of [program, ...program.commands, ...below]) {
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
  describeJournal(program, onCommand);
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
    .option(
      '--model <name>',
      '"offline", "anthropic:<model id>" or "openai:<model id>"; of a,b the second when the first fails',
      'offline',
    )
    .option('--concurrency <n>', 'agents that run at a time', wholeFromOne, 8)
    .addOption(
      new Option(
        '--toolsets <names>',
        'comma-separated; "file" lists, finds, reads and writes; with --roles the default',
      )
        .argParser(names)
        .default([], 'none'),
    )
    .option('--out <file>', 'a new file for the outcomes; - is standard output', 'results.jsonl')
    .option('--overwrite', 'replaces the file of --out when there is one')
    .option('--resume', 'leaves out what is completed in the file of --out, and adds the rest')
    .option('--journal <file>', 'writes the tasks down: killed, the same command goes on')
    .option('--keep-going', 'runs the good lines of a file of tasks; bad ones fail alone')
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
    .addOption(
      new Option(
        '--provider-wait <time>',
        'how long calls wait together for a provider that is down; 0 for not at all',
      )
        .argParser(durationOrNone)
        .default(600_000, '10m'),
    )
    .option('--max-turns <n>', 'model responses of one run', wholeFromOne, 50)
    .option('--retries <n>', 'further runs of a task that fails for its model', wholeFromZero, 0)
    .option(
      '--budget-usd <amount>',
      'for the whole job: no call begins that could exceed it',
      dollars,
    )
    .option(
      '--price <model=in,out>',
      'US dollars per million tokens, or model=0, for a model no table knows; repeatable',
      readPrice,
    )
    .addOption(
      new Option(
        '--require-approval <patterns>',
        'tools that run only with approval: names, name*, tag:<tag>, comma-separated',
      )
        .argParser(readPatterns)
        .default([], 'none'),
    )
    .option(
      '--approve <what>',
      'lets them run: none, all, or patterns; others are asked for on a terminal',
      readApprove,
    )
    .addHelpText('after', afterHelp)
    .action((path: string | undefined, raw: RawOptions) => {
      const read = readRun(path, raw);
      onCommand(typeof read === 'string' ? misuse(read) : { type: 'run', options: read });
    });
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

A file of tasks is checked to its last line before the first task starts, and refused for a line
that is no task; with --keep-going such a line has a failed outcome, and the others are run. After an interrupt,
a crash or failures the same command with --resume runs what is not completed in its file; a task
that is run again has a further line there, and the last one counts. With --journal a job that was
killed or interrupted goes on in the middle of its tasks, and each has one line. With --out - the
outcomes alone are on standard output, and the view is on standard error.

Exit code: 0 all completed, 1 some failed, 2 misuse, 130 interrupted.
Ctrl-C once interrupts the agents and keeps what is finished, twice exits at once.`;

function misuse(message: string): CommandLine {
  return { type: 'misuse', text: `troupe: ${message}\n` };
}
