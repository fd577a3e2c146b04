// Owns the arguments of `troupe journal` and its help. Opens nothing.
import { type Command, Option } from 'commander';
import { duration } from './option-values.ts';

export type JournalCommand = {
  readonly type: 'journal';
  readonly path: string;
  readonly what:
    | { readonly type: 'check' }
    | { readonly type: 'stats' }
    /** Null: all tasks. */
    | { readonly type: 'export'; readonly taskId: string | null }
    | { readonly type: 'prune'; readonly olderThanMs: number }
    /** A persistent agent, by its name. */
    | { readonly type: 'forget'; readonly agent: string };
};

const sevenDays = '168h';

/** Adds the commands to the program; `onCommand` is called with what was asked for. */
export function describeJournal(
  program: Command,
  onCommand: (command: JournalCommand) => void,
): void {
  const journal = program
    .command('journal')
    .description('Look into the file of a journal that no process has open.')
    .helpCommand(false)
    .addHelpText('after', afterHelp);
  const add = (name: string, description: string): Command =>
    journal.command(name).description(description).argument('<file>', 'the file of the journal');
  const asked = (path: string, what: JournalCommand['what']): void =>
    onCommand({ type: 'journal', path, what });
  add('check', 'Say what is damaged.').action((path: string) => asked(path, { type: 'check' }));
  add('stats', 'Count what is in it.').action((path: string) => asked(path, { type: 'stats' }));
  add('export', 'Print a task with its commits, or all tasks, a JSON line each.')
    .argument('[task]', 'the id of one task')
    .action((path: string, taskId?: string) =>
      asked(path, { type: 'export', taskId: taskId ?? null }),
    );
  add('prune', 'Forget what has ended and nothing unfinished needs.')
    .addOption(
      new Option('--older-than <time>', 'since its end, such as 24h')
        .argParser(duration)
        .default(168 * 3_600_000, sevenDays),
    )
    .action((path: string, { olderThan: olderThanMs }: { olderThan: number }) =>
      asked(path, { type: 'prune', olderThanMs }),
    );
  add('forget', 'Forget a persistent agent, such as one whose memory is damaged.')
    .argument('<agent>', 'its name')
    .action((path: string, agent: string) => asked(path, { type: 'forget', agent }));
}

const afterHelp = `
Examples:
  troupe journal stats job.db
  troupe journal check job.db
  troupe journal export job.db t12
  troupe journal prune job.db --older-than 24h
  troupe journal forget service.db ann

Exit code: 0 done and nothing is damaged, 1 damaged, or no such task or agent, 2 misuse, or the file cannot be used.`;
