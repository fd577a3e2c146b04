// Owns the options of `troupe run`, and which of them go together. Pure.
import { normalize } from 'node:path';
import type { ModelPrice } from '../index.ts';
import { type ApproveOption, approveByQuestion } from './approval-options.ts';

export const progressKinds = ['tree', 'plain', 'json', 'none'] as const;
export type ProgressKind = (typeof progressKinds)[number];

export const showKinds = ['answers', 'failures'] as const;
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
  /** The file of the journal; null: none. */
  readonly journal: string | null;
  /** Null: a tree on a terminal, else plain lines. */
  readonly progress: ProgressKind | null;
  /** What is printed of each result as it comes; null: nothing. */
  readonly show: ShowKind | null;
  readonly idleTimeoutMs: number;
  /** How long calls wait together for a provider that is down. */
  readonly providerWaitMs: number;
  readonly maxTurns: number;
  /** Lines of a file of tasks that are no tasks become failed results. */
  readonly keepsGoing: boolean;
  /** Further runs of a task that fails in a way that a new run can heal. */
  readonly retries: number;
  readonly budgetUsd: number | null;
  /** By the model's name. */
  readonly prices: Readonly<Record<string, ModelPrice>>;
  /** Patterns of tools that need approval, beside those that declare it. */
  readonly requireApproval: readonly string[];
  readonly approve: ApproveOption;
};

/** What commander hands over: every value has been through its parser below. */
export type RawOptions = Omit<
  RunOptions,
  | 'input'
  | 'roles'
  | 'out'
  | 'existing'
  | 'journal'
  | 'keepsGoing'
  | 'progress'
  | 'show'
  | 'budgetUsd'
  | 'idleTimeoutMs'
  | 'providerWaitMs'
  | 'prices'
  | 'approve'
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
  readonly journal?: string;
  readonly keepGoing?: true;
  readonly progress?: ProgressKind;
  readonly show?: ShowKind;
  readonly idleTimeout: number;
  readonly providerWait: number;
  readonly budgetUsd?: number;
  readonly approve?: ApproveOption;
};

/** What `troupe run` was asked for, or what is wrong with it. */
export function readRun(path: string | undefined, raw: RawOptions): RunOptions | string {
  const input = readInput(path, raw);
  if (typeof input === 'string') return input;
  const roles = readRoles(input, raw);
  if (typeof roles === 'string') return roles;
  const { model, concurrency, toolsets, out, maxTurns, retries } = raw;
  if (out === '') return '--out is empty: expected a file, or - for standard output';
  if (out === '-' && raw.progress === 'json') {
    return '--out - and --progress json both write standard output: give --out a file';
  }
  if (raw.journal === '') return '--journal is empty: expected a file';
  if (raw.journal !== undefined && normalize(raw.journal) === normalize(out)) {
    return `--journal and --out both name ${out}: give them a file each`;
  }
  if (raw.resume && raw.overwrite) {
    return '--resume goes on with a file that --overwrite would replace: give one of them';
  }
  if (raw.resume && roles !== null) {
    return '--resume goes on with a job of many tasks: with --roles there is one';
  }
  if (raw.resume && out === '-') {
    return '--resume needs the file of an earlier job: give --out a file';
  }
  if (raw.keepGoing && input.type !== 'tasks') {
    return '--keep-going is about the lines of a file of tasks: give one';
  }
  return {
    input,
    roles,
    model,
    concurrency,
    // Without the file tools no agent could open the files that the job is about.
    toolsets: roles !== null && toolsets.length === 0 ? ['file'] : toolsets,
    out: out === '-' ? null : out,
    existing: raw.resume ? 'resume' : raw.overwrite ? 'overwrite' : 'refuse',
    journal: raw.journal ?? null,
    progress: raw.progress ?? null,
    show: raw.show ?? null,
    idleTimeoutMs: raw.idleTimeout,
    providerWaitMs: raw.providerWait,
    maxTurns,
    retries,
    keepsGoing: raw.keepGoing === true,
    budgetUsd: raw.budgetUsd ?? null,
    prices: raw.price ?? {},
    requireApproval: raw.requireApproval,
    approve: raw.approve ?? approveByQuestion,
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
