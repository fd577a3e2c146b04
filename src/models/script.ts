// Owns what a script for the scripted model looks like and refuses a bad one. Plays nothing.
import { describe, TroupeError } from '../base/failures.ts';
import { isRecord } from '../base/is-record.ts';
import { insteadOf } from '../base/nearest-name.ts';
import { type StopReason, stopReasons, type TokenCounts } from '../protocol/history.ts';

/** A call that a scripted model asks for. */
export type ScriptedToolCall = {
  /** Made up, unique within the agent, unless given. */
  readonly id?: string;
  /** The name of the tool. */
  readonly name: string;
  /** Its input; need not fit the schema of the tool. */
  readonly input: unknown;
};

/** One answer of a scripted model. */
export type ScriptStep = {
  /** The text of the answer. */
  readonly text?: string;
  /** Thinking that comes before it. */
  readonly thinking?: string;
  /** Tools that the answer calls. */
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Default: `tool_use` with tool calls, else `end_turn`. */
  readonly stopReason?: StopReason;
  /** Default: zero input, characters / 4 of output, marked as estimated. */
  readonly usage?: Partial<TokenCounts>;
  /** Waits on the supervisor's clock before anything is streamed or answered. */
  readonly delayMs?: number;
  /** Streamed piece by piece; `text` may be left out, else it is their sum. */
  readonly chunks?: readonly string[];
  /** Fails as a provider would with this status; 0 is a broken connection. */
  readonly throw?: {
    readonly status: number;
    readonly message: string;
    readonly retryAfterMs?: number;
  };
  /** Streams its text, then never answers until aborted. */
  readonly hang?: true;
  /** Answers every further call of the run; only the last step of a list may. */
  readonly repeat?: true;
};

/** Steps per agent definition; every run starts at the first step of its agent's list. */
export type Script = {
  /** Steps of agents that `agents` does not name. */
  readonly default?: readonly ScriptStep[];
  /** Steps by the name of the agent's definition. */
  readonly agents?: Readonly<Record<string, readonly ScriptStep[]>>;
};

const scriptKeys: ReadonlySet<string> = new Set(['default', 'agents']);
const callKeys: ReadonlySet<string> = new Set(['id', 'name', 'input']);
const thrownKeys: ReadonlySet<string> = new Set(['status', 'message', 'retryAfterMs']);
const stepKeys: ReadonlySet<string> = new Set([
  'text',
  'thinking',
  'toolCalls',
  'stopReason',
  'usage',
  'delayMs',
  'chunks',
  'throw',
  'hang',
  'repeat',
]);
const usageKeys: ReadonlySet<string> = new Set([
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
]);

/** The lists of a script by name, or `invalid_options` naming the field and the value seen. */
export function checkScript(script: unknown): ReadonlyMap<string | null, readonly ScriptStep[]> {
  if (!isRecord(script)) refuse('script', 'an object with `default` or `agents`', script);
  for (const key of Object.keys(script)) {
    if (!scriptKeys.has(key)) unknownField('script', key, scriptKeys);
  }
  const lists = new Map<string | null, readonly ScriptStep[]>();
  if (script['default'] !== undefined) {
    lists.set(null, checkSteps('script.default', script['default']));
  }
  const agents = script['agents'];
  if (agents !== undefined) {
    if (!isRecord(agents)) refuse('script.agents', 'an object of lists of steps', agents);
    for (const [name, steps] of Object.entries(agents)) {
      lists.set(name, checkSteps(`script.agents.${name}`, steps));
    }
  }
  if (lists.size === 0) refuse('script', '`default` or `agents`', script);
  return lists;
}

function checkSteps(field: string, steps: unknown): readonly ScriptStep[] {
  if (!Array.isArray(steps)) refuse(field, 'a list of steps', steps);
  for (const [index, step] of steps.entries()) {
    checkStep(`${field}[${index}]`, step);
    if (step.repeat === true && index < steps.length - 1) {
      refuse(
        `${field}[${index}].repeat`,
        'left to the last step, what follows is never reached',
        true,
      );
    }
  }
  // Every field of every step was just checked.
  return steps as readonly ScriptStep[];
}

function checkStep(field: string, step: unknown): void {
  if (!isRecord(step)) refuse(field, 'a step object', step);
  for (const key of Object.keys(step)) {
    if (!stepKeys.has(key)) unknownField(field, key, stepKeys);
  }
  const { text, thinking, toolCalls, stopReason, usage, delayMs, chunks } = step;
  if (text !== undefined && typeof text !== 'string') refuse(`${field}.text`, 'text', text);
  if (thinking !== undefined && typeof thinking !== 'string') {
    refuse(`${field}.thinking`, 'text', thinking);
  }
  if (toolCalls !== undefined) checkToolCalls(`${field}.toolCalls`, toolCalls);
  if (stopReason !== undefined && !stopReasons.some((known) => known === stopReason)) {
    refuse(`${field}.stopReason`, `one of ${stopReasons.join(', ')}`, stopReason);
  }
  if (usage !== undefined) checkUsage(`${field}.usage`, usage);
  if (delayMs !== undefined && !isCount(delayMs)) {
    refuse(`${field}.delayMs`, 'milliseconds, 0 or more', delayMs);
  }
  if (chunks !== undefined) checkChunks(field, chunks, text);
  checkEnding(field, step);
}

function checkToolCalls(field: string, toolCalls: unknown): void {
  if (!Array.isArray(toolCalls)) refuse(field, 'a list of { name, input }', toolCalls);
  for (const [index, call] of toolCalls.entries()) {
    const where = `${field}[${index}]`;
    if (!isRecord(call)) refuse(where, '{ name, input }', call);
    for (const key of Object.keys(call)) {
      if (!callKeys.has(key)) unknownField(where, key, callKeys);
    }
    if (typeof call['name'] !== 'string') refuse(`${where}.name`, 'text', call['name']);
    if (!('input' in call)) refuse(`${where}.input`, 'a value', undefined);
    const id = call['id'];
    if (id !== undefined && typeof id !== 'string') refuse(`${where}.id`, 'text', id);
  }
}

function checkUsage(field: string, usage: unknown): void {
  if (!isRecord(usage)) refuse(field, 'token counts', usage);
  for (const [key, count] of Object.entries(usage)) {
    if (!usageKeys.has(key)) unknownField(field, key, usageKeys);
    if (!isCount(count)) refuse(`${field}.${key}`, 'a number, 0 or more', count);
  }
}

function checkChunks(field: string, chunks: unknown, text: unknown): void {
  if (!Array.isArray(chunks) || chunks.some((chunk) => typeof chunk !== 'string')) {
    refuse(`${field}.chunks`, 'a list of texts', chunks);
  }
  if (text !== undefined && text !== chunks.join('')) {
    refuse(`${field}.chunks`, 'the pieces of `text`', chunks);
  }
}

function checkEnding(field: string, step: Readonly<Record<string, unknown>>): void {
  const { hang, repeat } = step;
  if (hang !== undefined && hang !== true) refuse(`${field}.hang`, 'true or nothing', hang);
  if (repeat !== undefined && repeat !== true) refuse(`${field}.repeat`, 'true or nothing', repeat);
  const thrown = step['throw'];
  if (thrown !== undefined) {
    if (hang === true) refuse(`${field}.throw`, 'not together with `hang`', thrown);
    if (!isRecord(thrown) || !isCount(thrown['status']) || typeof thrown['message'] !== 'string') {
      refuse(`${field}.throw`, '{ status, message, retryAfterMs? }', thrown);
    }
    for (const key of Object.keys(thrown)) {
      if (!thrownKeys.has(key)) unknownField(`${field}.throw`, key, thrownKeys);
    }
    const wait = thrown['retryAfterMs'];
    if (wait !== undefined && !isCount(wait)) {
      refuse(`${field}.throw.retryAfterMs`, 'milliseconds, 0 or more', wait);
    }
  }
  const answers = ['text', 'thinking', 'toolCalls', 'chunks', 'throw', 'hang'];
  if (!answers.some((key) => step[key] !== undefined)) {
    refuse(field, `an answer (${answers.join(', ')})`, step);
  }
}

function unknownField(where: string, key: string, known: ReadonlySet<string>): never {
  const field = `${where}.${key}`;
  const why = `${where}: there is no field ${describe(key)}; ${insteadOf(key, [...known])}`;
  throw new TroupeError('invalid_options', why, { detail: { field } });
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function refuse(field: string, wanted: string, got: unknown): never {
  throw new TroupeError('invalid_options', `${field} must be ${wanted}; got ${describe(got)}`, {
    detail: { field },
  });
}
