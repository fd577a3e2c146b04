// Owns what hooks are: what each receives, what each may answer, and how an answer is checked. Pure.
import { toSerializable } from '../actor/serializable.ts';
import { describe, type Failure, failure, TroupeError } from '../base/failures.ts';
import { isRecord } from '../base/is-record.ts';
import type { OutcomeExitReason } from '../base/outcome.ts';
import { stackIn, toFault } from '../base/stack.ts';
import type {
  AssistantBlock,
  Message,
  StopReason,
  TokenCounts,
  ToolResult,
} from '../protocol/history.ts';
import { type HookAnswer, type HookName, hookNames, type ToolCallInfo } from '../protocol/hooks.ts';
import { pairingFault } from './history-repair.ts';
import { plainCopy } from './plain-copy.ts';

/** What every hook receives beside its own payload. */
export type HookContext = {
  /** The agent whose run it is: its id, name, path in the tree, and depth, 0 for a root. */
  readonly agent: {
    readonly id: string;
    readonly name: string;
    readonly path: string;
    readonly depth: number;
  };
  /** The task's id. */
  readonly runId: string;
  /** Aborts when the run no longer waits for the hook. */
  readonly signal: AbortSignal;
  /**
   * Waits for the answer of a person: meanwhile no time of the run passes, neither idle nor total, nor that of the tool call the
   * hook is around, nor that of the runs above; after `timeouts.approvalTimeoutMs` it passes again. Comes to what `answer` comes
   * to; rejects with the reason of `signal` when that aborts first, and always in a hook of a module: the clocks are the
   * service's.
   */
  waitForPerson<Value>(answer: Promise<Value>): Promise<Value>;
};

/** The payload of each hook. */
export type HookPayloads = {
  /** The conversation the run begins with. */
  readonly beforeRun: { readonly messages: readonly Message[] };
  /** The turn, from 1, and the conversation it is about to send. */
  readonly beforeTurn: { readonly turn: number; readonly messages: readonly Message[] };
  /** The response, the tokens it took, and why it ended. */
  readonly afterTurn: {
    readonly turn: number;
    readonly message: { readonly role: 'assistant'; readonly content: readonly AssistantBlock[] };
    readonly usage: TokenCounts;
    readonly stopReason: StopReason;
  };
  /** The call that is about to run. */
  readonly beforeTool: ToolCallInfo;
  /** The call, with the input that the tool ran with, and what the model gets as its result. */
  readonly afterTool: ToolCallInfo & {
    readonly result: ToolResult['content'];
    readonly isError: boolean;
    /** Why it is an error; missing when the run was parked while the tool ran. */
    readonly failure?: Failure | undefined;
  };
  /** Why the run ended, its last text, and what went wrong, if anything did. */
  readonly afterRun: {
    readonly exitReason: OutcomeExitReason;
    readonly text: string;
    readonly error?: Failure | undefined;
  };
};

type Answer<Value> = Value | null | undefined | Promise<Value | null | undefined>;

/**
 * Functions called around a run, its turns and its tool calls. All may be async. Given as an object they run in the
 * service's loop, as a module `URL` in the agent's own thread. One that throws ends the run `hook_failed` and names the
 * hook; none has a timeout of its own: the run's timeouts and its interrupt end the wait for it. A parked run continues
 * where it was: no hook is called twice for the same thing.
 */
export type Hooks = {
  /** Before the first turn. `deny` refuses the run: outcome `refused`, `hook_denied`. */
  beforeRun?(
    run: HookPayloads['beforeRun'],
    context: HookContext,
  ): Answer<{ readonly deny: string }>;
  /**
   * Before each model call. `append` is added to the end of the last user message of this request; `messages` replace
   * the conversation in it, calls and results in pairs. Neither is remembered.
   */
  beforeTurn?(
    turn: HookPayloads['beforeTurn'],
    context: HookContext,
  ): Answer<{ readonly append: string } | { readonly messages: readonly Message[] }>;
  /** After each response, before its tools are called. Its answer is not looked at. */
  afterTurn?(turn: HookPayloads['afterTurn'], context: HookContext): unknown;
  /**
   * Before each tool that is granted. `deny` makes its result an error with this text, `input` is judged by the tool's
   * schema as any input is.
   */
  beforeTool?(
    call: HookPayloads['beforeTool'],
    context: HookContext,
  ): Answer<{ readonly deny: string } | { readonly input: unknown }>;
  /** After each tool that ran. `result` is what the model sees instead. */
  afterTool?(
    call: HookPayloads['afterTool'],
    context: HookContext,
  ): Answer<{ readonly result: string }>;
  /**
   * After the run, however it ended, failures of models and tools included. What it throws is an event `log`, and
   * the outcome's error only when there is no other. When the run's thread was killed, only the service's hooks run.
   */
  afterRun?(run: HookPayloads['afterRun'], context: HookContext): unknown;
};

/** Hooks as a value of the service, or a module that exports them as `hooks` or as its default. */
export type HookReference = Hooks | URL;

const answerFields: Readonly<Record<HookName, readonly string[]>> = {
  beforeRun: ['deny'],
  beforeTurn: ['append', 'messages'],
  afterTurn: [],
  beforeTool: ['deny', 'input'],
  afterTool: ['result'],
  afterRun: [],
};

/** A hook's answer. Throws for one that the hook may not give, `not_serializable` for input that cannot cross a thread. */
export function readAnswer(name: HookName, value: unknown): HookAnswer {
  const allowed = answerFields[name];
  if (allowed.length === 0 || value === undefined || value === null) return null;
  const [entry, ...others] = typeof value === 'object' ? Object.entries(value) : [];
  if (entry !== undefined && others.length === 0 && allowed.includes(entry[0])) {
    const [field, given] = entry;
    if (field === 'input') return { input: plainData(given, 'input') };
    if (field === 'messages') return { messages: readMessages(given) };
    // Every other answer is a text, and `answerFields` lists those of this hook.
    if (typeof given === 'string') return { [field]: given } as HookAnswer;
  }
  const expected = allowed.map((field) => `{ ${field} }`).join(' or ');
  throw new Error(`it answered ${describe(value)}, expected nothing or ${expected}`);
}

/** A copy in which each error is a `Failure`: what the hook changes later is not sent. */
function plainData(value: unknown, field: string): unknown {
  return toSerializable(plainCopy(value, { what: 'its answer', field, code: 'not_serializable' }))
    .value;
}

/** Messages in which calls and results pair, as a request requires. */
function readMessages(value: unknown): readonly Message[] {
  const messages: unknown = plainData(value, 'messages');
  const isList = Array.isArray(messages) && messages.length > 0 && messages.every(isMessage);
  if (!isList) throw new Error('its messages are no list of { role, content: [blocks] }');
  const fault = pairingFault(messages);
  if (fault !== null) throw new Error(`its messages do not pair: ${fault}`);
  return messages;
}

function isMessage(value: unknown): value is Message {
  if (!isRecord(value) || !Array.isArray(value['content'])) return false;
  return value['role'] === 'user' || value['role'] === 'assistant';
}

/** The failure of a hook, naming it. */
export function hookFailure(name: HookName, thrown: unknown): Failure {
  const fault = toFault(thrown, 'hook_failed');
  const { message, code } = fault;
  const stack = stackIn(fault);
  const detail = {
    hook: name,
    ...(code === 'hook_failed' ? {} : { cause: code }),
    ...(stack === null ? {} : { stack }),
  };
  return failure('hook_failed', `hook ${name} failed: ${message}`, { detail });
}

/** The names of the hooks an object has, in the order of `hookNames`. */
export function namesOf(hooks: Hooks): readonly HookName[] {
  return hookNames.filter((name) => hooks[name] !== undefined);
}

/** The hooks as they are now, each bound to its object: later changes to that object have no effect. */
export function readHooks(hooks: Hooks): Hooks {
  const read: [HookName, unknown][] = [];
  for (const name of namesOf(hooks)) read.push([name, hooks[name]?.bind(hooks)]);
  // Each is the hook of its name.
  return Object.fromEntries(read) as Hooks;
}

/** What keeps a value from being hooks: the field, empty for the value itself, and why; null when nothing does. */
export function hooksFault(
  value: unknown,
): { readonly field: string; readonly why: string } | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { field: '', why: 'expected an object of hooks, or the URL of a module' };
  }
  for (const [field, hook] of Object.entries(value)) {
    if (!hookNames.some((name) => name === field)) {
      return { field, why: `there is no such hook; there are ${hookNames.join(', ')}` };
    }
    if (hook !== undefined && typeof hook !== 'function') {
      return { field, why: 'expected a function' };
    }
  }
  return null;
}

/** The hooks a module exports. Throws `tool_module_failed` saying what it exports instead. */
export function collectHooks(namespace: Readonly<Record<string, unknown>>, from: string): Hooks {
  const hooks = namespace['hooks'] ?? namespace['default'];
  if (hooks === undefined) {
    const names = Object.keys(namespace);
    const seen = names.length === 0 ? 'nothing' : describe(names);
    const why = `${from} exports no hooks, as hooks or as its default; it exports ${seen}`;
    throw new TroupeError('tool_module_failed', why);
  }
  const fault = hooksFault(hooks);
  // Checked just now: an object whose every field is a hook's.
  if (fault === null) return hooks as Hooks;
  const where = fault.field === '' ? 'hooks' : `hooks.${fault.field}`;
  throw new TroupeError('tool_module_failed', `${from}: ${where}: ${fault.why}`);
}
