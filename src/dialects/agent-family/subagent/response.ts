// Owns what a subagent hands back: one response, the last, with who it is of; failures are responses too (D51 to D54). Pure.
import { toFailure } from '../../../base/failures.ts';
import type { Outcome, OutcomeExitReason } from '../../../base/outcome.ts';
import { describeOutcome } from '../../../tools/describe-outcome.ts';
import { clip } from './context.ts';

/** The subagent and its supervisor. */
export type Parties = { readonly subagent: string; readonly supervisor: string };

/** The names in `metadata` are those of the source. */
type SubagentMetadata = Parties & {
  readonly unavailable?: true;
  /** Why there is no answer: `timeout`, `max_iters`, `budget`, `interrupted`, or a failure's code. */
  readonly error?: string;
};

/** Exactly one per call, and always the last: nothing of the rounds behind it is streamed. */
export type SubagentResponse = {
  /** One block of text. */
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  /** Whose response it is, and why there is no answer when there is none. */
  readonly metadata: SubagentMetadata;
  /** It comes whole. */
  readonly stream: false;
  /** No other follows. */
  readonly isLast: true;
};

export function responseOf(text: string, parties: Parties): SubagentResponse {
  return {
    content: [{ type: 'text', text }],
    metadata: { ...parties },
    stream: false,
    isLast: true,
  };
}

/** A failure as a response: a code for programs, a sentence for models, and no stack trace. */
export function unavailable(why: Unavailability, parties: Parties): SubagentResponse {
  const reason = `Subagent ${parties.subagent} is unavailable (error: ${why.error}). ${why.message}`;
  const text = why.closing === undefined ? reason : `${why.closing}\n\n[${reason}]`;
  return {
    content: [{ type: 'text', text }],
    metadata: { ...parties, unavailable: true, error: why.error },
    stream: false,
    isLast: true,
  };
}

export type Unavailability = {
  readonly error: string;
  readonly message: string;
  /** What the subagent closed with when its turns were used up: a host reads it first. */
  readonly closing?: string;
};

/** Why a run's outcome is no answer; null when it is one. Total. */
export function unavailabilityOf(
  outcome: Pick<Outcome, 'exitReason' | 'error' | 'text'>,
): Unavailability | null {
  const { exitReason, error, text } = outcome;
  if (exitReason === 'goal') return null;
  const cause = error?.detail?.['cause'];
  const code = typeof cause === 'string' ? cause : error?.code;
  const kind = kindOf(exitReason, code);
  const why = oneLine(describeOutcome(outcome).reason.message);
  if (exitReason === 'max_turns' && text.trim() !== '')
    return { error: kind, message: `${why}.`, closing: text };
  const soFar = text.trim() === '' ? '' : ` What it had so far: ${oneLine(text)}`;
  return { error: kind, message: `${why}.${soFar}` };
}

/** Why what was thrown is no answer. */
export function unavailabilityOfThrown(thrown: unknown): Unavailability {
  const { code, message, detail } = toFailure(thrown, 'crashed');
  const exitReason = detail?.['exitReason'];
  return {
    error: kindOf(typeof exitReason === 'string' ? exitReason : 'error', code),
    message: `${oneLine(message)}.`,
  };
}

const timeouts: ReadonlySet<string> = new Set([
  'idle_timeout',
  'total_timeout',
  'tool_timeout',
  'model_timeout',
]);

function kindOf(exitReason: OutcomeExitReason | string, code: string | undefined): string {
  if (timeouts.has(exitReason) || timeouts.has(code ?? '')) return 'timeout';
  if (exitReason === 'max_turns' || code === 'max_turns') return 'max_iters';
  if (exitReason === 'budget' || code?.startsWith('budget_') === true) return 'budget';
  if (exitReason === 'interrupted' || exitReason === 'killed') return 'interrupted';
  return code ?? exitReason;
}

const maxChars = 500;
const stackLine = /^\s*at .+(:\d+:\d+\)?|<anonymous>\)?|\((native|index \d+)\))\s*$/;

/** A message without what a stack would add to it. */
function oneLine(message: string): string {
  const lines = message.split('\n').filter((line) => !stackLine.test(line));
  return clip(lines.join(' ').trim(), maxChars);
}

/** The text of a response, as a tool's result shows it. */
export function textOf({ content }: SubagentResponse): string {
  return content.map(({ text }) => text).join('\n');
}
