// Owns the hooks of an agent: their points, what each receives, what each may change (D5). Types and one list.
import type { Message, ToolResult } from '../../../protocol/history.ts';
import type { InputSchema } from '../../../tools/tool.ts';
import type { Msg, MsgInput } from './msg.ts';

/** How one reply is shaped and ended. */
export type ReplyOptions = {
  /** The answer comes by this schema, in the reply's metadata under `structured`. */
  readonly outputSchema?: InputSchema;
  /** Aborting it interrupts the reply, as `interrupt` does. */
  readonly signal?: AbortSignal;
};

/** The hooked calls and the arguments their hooks receive; a `pre_` hook may return the arguments, changed. */
export type HookArgs = {
  /** What `reply` was called with. */
  readonly reply: { readonly input: MsgInput; readonly options: ReplyOptions };
  /** What is printed; `isLast` is false while the message grows. */
  readonly print: { readonly message: Msg; readonly isLast: boolean };
  /** What `observe` was called with. */
  readonly observe: { readonly input: MsgInput };
  /** Of what a `pre_` hook answers, `hint` alone counts: a text that ends this request and is remembered nowhere. */
  readonly reasoning: {
    readonly turn: number;
    readonly messages: readonly Message[];
    readonly hint: string;
  };
  /** Of what a `pre_` hook answers, `input` alone counts. */
  readonly acting: {
    readonly turn: number;
    readonly callId: string;
    readonly name: string;
    readonly input: unknown;
  };
};

/** What comes of it; a `post_` hook may answer with another. */
export type HookOutputs = {
  /** The reply. */
  readonly reply: Msg;
  /** Nothing comes of it. */
  readonly print: undefined;
  /** Nothing comes of it. */
  readonly observe: undefined;
  /** The model's response, as it is remembered: an answer of the hook changes nothing. */
  readonly reasoning: Msg;
  /** Of what a hook answers, a `result` that is a text counts: the model sees it instead. */
  readonly acting: { readonly result: ToolResult['content']; readonly isError: boolean };
};

export type Hooked = keyof HookArgs;
/** Before or after one of the hooked calls. */
export type HookPoint = `${'pre' | 'post'}_${Hooked}`;

type Answer<Value> = Value | null | undefined | Promise<Value | null | undefined>;

export type PreHook<What extends Hooked, Agent> = (
  agent: Agent,
  args: HookArgs[What],
) => Answer<HookArgs[What]>;

export type PostHook<What extends Hooked, Agent> = (
  agent: Agent,
  args: HookArgs[What],
  output: HookOutputs[What],
) => Answer<HookOutputs[What]>;

/** The function of a hook point, for hooks of such agents. */
export type AgentHook<
  Point extends HookPoint,
  Agent,
> = Point extends `pre_${infer What extends Hooked}`
  ? PreHook<What, Agent>
  : Point extends `post_${infer What extends Hooked}`
    ? PostHook<What, Agent>
    : never;

export const hookPoints: readonly HookPoint[] = [
  'pre_reply',
  'post_reply',
  'pre_print',
  'post_print',
  'pre_observe',
  'post_observe',
  'pre_reasoning',
  'post_reasoning',
  'pre_acting',
  'post_acting',
];
