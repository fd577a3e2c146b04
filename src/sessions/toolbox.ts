// Owns the tools of a caller's own loop: their definitions as each provider takes them, and calls by name.
import { z } from 'zod';
import { type CopiedFrom, plainCopy } from '../agent/plain-copy.ts';
import { endlessness, maxInput } from '../base/endless.ts';
import { describe, failure, TroupeError, toFailure } from '../base/failures.ts';
import { decoded } from '../base/json-text.ts';
import type { Outcome } from '../base/outcome.ts';
import { parseOptions } from '../base/parse-options.ts';
import { signalSchema } from '../base/signal-schema.ts';
import { openController } from '../base/when-aborted.ts';
import { unlessAborted, withAbort } from '../base/with-abort.ts';
import type { Approval } from '../protocol/approval.ts';
import type { ToolResult } from '../protocol/history.ts';
import type { JsonSchema } from '../protocol/tool-description.ts';
import { PausableTimer } from '../tasks/pausable-timer.ts';
import { callTool, errorResult } from '../tools/call.ts';
import { keepResult } from '../tools/kept-results.ts';
import { jsonSchemaOf } from '../tools/schema.ts';
import type {
  AnyTool,
  BackgroundTasks,
  DelegationReach,
  Subtask,
  ToolContext,
} from '../tools/tool.ts';

/** One list of tools in the three shapes that loops hand to their models. */
export type ToolDefinitions = {
  /** For `tools` of Anthropic's Messages API. */
  readonly anthropic: readonly {
    readonly name: string;
    readonly description: string;
    readonly input_schema: JsonSchema;
  }[];
  /** For `tools` of OpenAI's Chat Completions API. */
  readonly openai: readonly {
    readonly type: 'function';
    readonly function: {
      readonly name: string;
      readonly description: string;
      readonly parameters: JsonSchema;
    };
  }[];
  /** Name, description and JSON Schema of the input, for any other loop. */
  readonly jsonSchema: readonly {
    readonly name: string;
    readonly description: string;
    readonly schema: JsonSchema;
  }[];
};

/** How one call of a tool is named and ended. */
export type ToolCallOptions = {
  /** Aborting it ends the call and what it delegated. */
  readonly signal?: AbortSignal;
  /** The model's id of the call; made up when left out. */
  readonly callId?: string;
};

const callSchema = z.strictObject({
  signal: signalSchema.optional(),
  callId: z.string().optional(),
});

/** In whose name tools of a caller's loop run. */
export type ToolCaller = {
  readonly name: string;
  readonly workspace: string;
  readonly reach: DelegationReach;
  /** An id that no other call in this name has: results are kept in files under it, and it makes the idempotency key. */
  nextCallId(): string;
  delegate(tasks: readonly Subtask[], signal: AbortSignal): Promise<readonly Outcome[]>;
  /** Tasks in the background: they go on when the call that started them has ended. */
  background(signal: AbortSignal): BackgroundTasks;
  /** Calls back after so many milliseconds; returns how to stop it. */
  after(delayMs: number, fire: () => void): () => void;
  /** Milliseconds of the supervisor's clock. */
  now(): number;
  /** Milliseconds in which what was interrupted has ended. */
  readonly graceMs: number;
  /** Which calls a person has to approve, whatever the tool declares, and how one is asked; `ask` never rejects. */
  readonly approvals: {
    isRequired(tool: AnyTool): boolean;
    ask(
      tool: AnyTool,
      call: { readonly callId: string; readonly input: unknown },
      signal: AbortSignal,
    ): Promise<Approval>;
  };
};

/** Where a toolbox has its tools from; asked for every definition and every call. */
export type ToolSource = {
  /** The tools there are now; the same list while they are the same. */
  now(): readonly AnyTool[];
  /** Called before each call of a tool. */
  called?(): void;
};

/** Tools that run in the service, for a loop that is not ours. */
export class Toolbox {
  readonly #source: ToolSource;
  readonly #caller: ToolCaller;
  #known: Known | null = null;

  /** Throws `invalid_tool` when two are named the same. */
  constructor(source: ToolSource, caller: ToolCaller) {
    this.#source = source;
    this.#caller = caller;
    this.#tools();
  }

  /** As they are now: ask again for each request, where a dialect's tools come and go. The same object while they do not. */
  get definitions(): ToolDefinitions {
    return this.#tools().definitions;
  }

  /**
   * Calls a tool with the arguments that a model gave, as a value or as JSON text. Resolves with its result whatever
   * happens: an unknown tool, bad arguments and a tool that throws are results with `isError`, for the model to read.
   */
  async call(name: string, input: unknown, options: ToolCallOptions = {}): Promise<ToolResult> {
    parseOptions(callSchema, options, 'tools.call');
    this.#source.called?.();
    const { byName } = this.#tools();
    const tool = byName.get(name);
    if (tool === undefined) {
      const known = [...byName.keys()].join(', ') || 'none';
      const why = `There is no tool ${describe(name)}. The tools are: ${known}.`;
      return errorResult(failure('unknown_tool', why));
    }
    let given = input;
    try {
      // Endless input stays as it is: the tool refuses it with a message that a model understands.
      if (endlessness(input, maxInput) === null) {
        given = plainCopy(decoded(input), argumentsOf(name));
      }
    } catch (error) {
      return errorResult(toFailure(error, 'tool_arguments_invalid'));
    }
    const { after, now, graceMs, nextCallId, approvals } = this.#caller;
    const callId = options.callId ?? nextCallId();
    const control = openController();
    const { timeoutMs } = tool;
    const overdue = (): void => {
      const why = `the tool took longer than ${timeoutMs} ms`;
      control.abort(new TroupeError('tool_timeout', why));
    };
    const timer =
      timeoutMs === undefined ? null : new PausableTimer({ now, after }, timeoutMs, overdue);
    // A person's time is not the tool's.
    const waitForPerson = async <Value>(answer: Promise<Value>): Promise<Value> => {
      timer?.suspend();
      try {
        return await unlessAborted(control.signal, Promise.resolve(answer));
      } finally {
        timer?.release();
      }
    };
    const approve = (): Promise<Approval> =>
      waitForPerson(approvals.ask(tool, { callId, input: given }, control.signal));
    const onAbort = ({ reason }: AbortSignal): void => {
      control.abort(TroupeError.from(toFailure(reason, 'interrupted')));
    };
    try {
      const { name: agentId, workspace } = this.#caller;
      return await withAbort(options.signal, onAbort, () =>
        callTool(
          tool,
          given,
          { ...this.#contextOf(callId, control.signal), waitForPerson },
          {
            // What a loop that is not ours can read is not known: the file is there, and named.
            now,
            keep: (text) => keepResult(text, { workspace, agentId, callId }),
            suspendedPatience: (over) => after(graceMs, over),
            isApprovalRequired: approvals.isRequired(tool),
            approve,
          },
        ),
      );
    } finally {
      timer?.cancel();
      // What a tool delegated and did not await ends with its call.
      control.abort(new TroupeError('interrupted', `the call of "${name}" has ended`));
    }
  }

  #tools(): Known {
    const tools = this.#source.now();
    if (this.#known?.tools !== tools) this.#known = knownOf(tools, this.#caller.reach);
    return this.#known;
  }

  #contextOf(callId: string, signal: AbortSignal): Omit<ToolContext, 'waitForPerson'> {
    const { name, workspace, delegate, background } = this.#caller;
    return {
      signal,
      interrupted: () => signal.aborted,
      agent: { id: '', name, path: '/', depth: 0 },
      // A loop that is not ours has no clocks and no record to report to.
      progress: () => {},
      heartbeat: () => {},
      recordFile: () => {},
      workspace,
      callId,
      promptId: `${name}#${callId}`,
      idempotencyKey: `${name}:${callId}`,
      delegate: (tasks) => delegate(tasks, signal),
      background: background(signal),
      suspendWhile: (work) => work,
    };
  }
}

function argumentsOf(name: string): CopiedFrom {
  return { what: `tool "${name}"`, field: 'arguments', code: 'tool_arguments_invalid' };
}

type Known = {
  readonly tools: readonly AnyTool[];
  readonly byName: ReadonlyMap<string, AnyTool>;
  readonly definitions: ToolDefinitions;
};

function knownOf(tools: readonly AnyTool[], reach: DelegationReach): Known {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  if (byName.size < tools.length) {
    const names = tools.map(({ name }) => name).join(', ');
    throw new TroupeError('invalid_tool', `two tools have one name: ${names}`);
  }
  return { tools, byName, definitions: definitionsOf(tools, reach) };
}

function definitionsOf(tools: readonly AnyTool[], reach: DelegationReach): ToolDefinitions {
  const all = tools.map((tool) => {
    const description = tool.describeAt?.(reach) ?? tool.description;
    return { name: tool.name, description, schema: jsonSchemaOf(tool.input) };
  });
  return {
    anthropic: all.map(({ name, description, schema }) => {
      return { name, description, input_schema: schema };
    }),
    openai: all.map(({ name, description, schema }) => {
      return { type: 'function', function: { name, description, parameters: schema } };
    }),
    jsonSchema: all,
  };
}
