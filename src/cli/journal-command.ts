// Owns `troupe journal`: opens the file, prints what was asked for, and gives the file up.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { unreachable } from '../base/failures.ts';
import type { Kept, StoredTask } from '../journal/records.ts';
import { JournalStore } from '../journal/store.ts';
import type { JournalCommand } from './journal-options.ts';
import type { Output } from './output.ts';
import { reasonOf } from './reason.ts';
import { formatWhole, plural } from './units.ts';

type Place = {
  readonly cwd: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** Resolves with the exit code; a file that is not there is not made. */
export async function journal(
  { path, what }: JournalCommand,
  { cwd, stdout, stderr, now }: Place,
): Promise<0 | 1 | 2> {
  const file = resolve(cwd, path);
  const refuse = (why: string): 2 => {
    stderr.line(`troupe: ${path} cannot be used: ${why}`);
    return 2;
  };
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return refuse('it is no file');
  let store: JournalStore | null = null;
  try {
    store = await JournalStore.open(file);
    const answer = answerOf(store, what, now);
    for (const line of answer.lines) {
      if (stdout.isGone) break;
      stdout.line(line);
    }
    return answer.exitCode;
  } catch (error) {
    // Where a page is damaged, SQLite itself cannot read on.
    return refuse(reasonOf(error));
  } finally {
    store?.close();
  }
}

type Answer = { readonly lines: Iterable<string>; readonly exitCode: 0 | 1 };

function answerOf(store: JournalStore, what: JournalCommand['what'], now: number): Answer {
  switch (what.type) {
    case 'check': {
      const problems = [...store.problems()];
      if (problems.length === 0) return { lines: ['nothing is damaged'], exitCode: 0 };
      return { lines: problems, exitCode: 1 };
    }
    case 'stats': {
      const { unfinished, ended, commits, agents, bytes } = store.stats();
      const tasks = `${plural(unfinished + ended, 'task')}: ${formatWhole(unfinished)} unfinished, ${formatWhole(ended)} ended`;
      const rest = `${plural(commits, 'commit')}, ${plural(agents, 'persistent agent')}`;
      return { lines: [tasks, rest, plural(bytes, 'byte')], exitCode: 0 };
    }
    case 'export': {
      const { taskId } = what;
      if (taskId === null) return { lines: linesOf(store), exitCode: 0 };
      const kept = store.load(taskId);
      if (kept === null) return { lines: [`there is no task ${taskId}`], exitCode: 1 };
      const value = kept.isDamaged ? { taskId, damaged: kept.why } : wholeOf(kept.value);
      return { lines: [JSON.stringify(value)], exitCode: 0 };
    }
    case 'prune': {
      const before = now - what.olderThanMs;
      const count = store.ended.prune(before, -1).length;
      store.sessions.prune(before);
      store.shrink(0);
      return { lines: [`${plural(count, 'task')} forgotten`], exitCode: 0 };
    }
    case 'forget': {
      const { agent: name } = what;
      const isThere = store.agents.load(name, false) !== null;
      if (!isThere) return { lines: [`there is no persistent agent ${name}`], exitCode: 1 };
      store.commit([{ type: 'agent_ended', name }]);
      return { lines: [`agent ${name} forgotten`], exitCode: 0 };
    }
    default:
      return unreachable(what);
  }
}

function* linesOf(store: JournalStore): Iterable<string> {
  for (const { taskId, kept } of store.tasks()) yield JSON.stringify(exported(taskId, kept));
}

function exported(taskId: string, kept: Kept<StoredTask>): object {
  return kept.isDamaged ? { taskId, damaged: kept.why } : read(kept.value);
}

function wholeOf({ task, commits }: { task: StoredTask; commits: readonly { body: string }[] }) {
  return { ...read(task), commits: commits.map(({ body, ...rest }) => parsed(body, rest)) };
}

/** With what is JSON in it as it is. */
function read({ spec, outcome, ...rest }: StoredTask): object {
  const { task } = JSON.parse(spec) as { readonly task: unknown };
  return { ...rest, task, outcome: outcome === null ? null : JSON.parse(outcome) };
}

function parsed(body: string, rest: object): object {
  return { ...rest, body: JSON.parse(body) };
}
