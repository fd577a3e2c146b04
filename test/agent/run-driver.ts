// Owns one run of an agent without a thread: what its model answers, its tools and hooks as given, all that it publishes.
import type { Self } from '#src/actor/behavior.js';
import { AgentRun } from '#src/agent/agent-run.js';
import type { Hooks } from '#src/agent/hooks.js';
import type { ModelAnswer, WorkerEnvironment } from '#src/agent/worker-environment.js';
import type { AgentArgs } from '#src/protocol/agent-args.js';
import type { AssistantBlock, Message, ToolResultBlock } from '#src/protocol/history.js';
import type { HostServiceCalls } from '#src/protocol/host-services.js';
import type { RunEvent } from '#src/protocol/run-events.js';
import type { ResumePoint } from '#src/protocol/saved-run.js';
import type { WorkerSpec } from '#src/protocol/worker-spec.js';
import { ManualClock } from '#src/testing.js';
import type { AnyTool } from '#src/tools/tool.js';
import { neverDetached, neverLeaves } from '../support/staying.ts';

export type Around = {
  readonly spec?: Partial<WorkerSpec>;
  readonly tools?: readonly AnyTool[];
  /** Hooks in the thread, each a module of its own. */
  readonly hooks?: readonly Hooks[];
  readonly host?: Partial<HostServiceCalls>;
  readonly memory?: readonly Message[];
  readonly resume?: ResumePoint;
  readonly runId?: string;
  readonly signal?: AbortSignal;
  /** The shared flag, which a run sees before its signal aborts. */
  readonly interrupted?: () => boolean;
};

/** An answer of a model: a text, or calls of tools. */
export function modelAnswer(content: readonly AssistantBlock[] | string): ModelAnswer {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
  const hasCalls = blocks.some(({ type }) => type === 'tool_use');
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const stopReason = hasCalls ? 'tool_use' : 'end_turn';
  const response = { content: blocks, stopReason, usage, isEstimated: true, model: 'm' } as const;
  return { response, costUsd: 0 };
}

/** A run whose model gives these answers, one a turn; what is not given is a text that ends it. */
export function runOf(
  answers: readonly (ModelAnswer | (() => Promise<ModelAnswer>))[],
  around: Around = {},
) {
  const { spec = {}, tools = [], hooks = [], host = {}, memory = [], runId = 'r1' } = around;
  const events: RunEvent[] = [];
  const requests: (readonly Message[])[] = [];
  const left = [...answers];
  const self = {
    signal: around.signal ?? new AbortController().signal,
    interrupted: around.interrupted ?? (() => around.signal?.aborted === true),
    publish: (event: RunEvent) => events.push(event),
    flush: () => {},
  };
  const environment = {
    ...neverLeaves,
    model: {
      ...neverDetached,
      request: async ({ messages }: { messages: readonly Message[] }) => {
        requests.push(messages);
        const answer = left.shift() ?? modelAnswer('done');
        return typeof answer === 'function' ? answer() : answer;
      },
    },
    host: { abortTool: () => Promise.resolve(), ...host },
    abandoned: () => {},
    runCode: <T>(work: () => Promise<T>) => work(),
    clock: new ManualClock(),
    heartbeat: () => {},
  };
  const planned = hooks.map((each, at) => ({ names: Object.keys(each), module: `m${at}` }));
  const whole = { tools: [], toolSettings: {}, workspace: '/nowhere', maxTurns: 10, ...spec };
  const { resume } = around;
  const args = {
    agent: { id: 'a1', name: 'a', path: '/a', depth: 0 },
    spec: planned.length === 0 ? whole : { ...whole, hooks: planned },
    ...(resume === undefined ? {} : { resume }),
  };
  // Only what a run reaches for is there.
  const run = new AgentRun({
    durable: 0,
    args: args as unknown as AgentArgs,
    loaded: {
      tools: new Map(tools.map((each) => [each.name, each])),
      hooks: new Map(hooks.map((each, at) => [`m${at}`, each])),
    },
    memory,
    request: {
      type: 'run',
      runId,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
    },
    around: environment as unknown as WorkerEnvironment,
    self: self as unknown as Self,
    early: { steers: [], isPaused: false },
  });
  return { run, events, requests };
}

/** The results of every turn with calls, in their order. */
export function resultsIn(events: readonly RunEvent[]): readonly ToolResultBlock[] {
  return events.flatMap((event) =>
    event.type === 'tool_results'
      ? event.message.content.flatMap((block) => (block.type === 'tool_result' ? [block] : []))
      : [],
  );
}
