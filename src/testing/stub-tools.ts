// Owns stubs of tools: functions in the place of the code of tools, by name, and the record of their calls. A test double.
import { z } from 'zod';
import { copyData } from '../base/copy-data.ts';
import { describe, TroupeError } from '../base/failures.ts';
import { functionSchema } from '../base/function-schema.ts';
import { omitUndefined } from '../base/omit-undefined.ts';
import { parseOptions } from '../base/parse-options.ts';
import type { ToolDescription } from '../protocol/tool-description.ts';
import { isTool } from '../tools/define-tool.ts';
import type { ToolStubs } from '../tools/stubs.ts';
import type { AnyTool, InputSchema, ToolContext, ToolOutput } from '../tools/tool.ts';

/** What runs in the place of a tool. The tool's schema let its input through; what it throws is an error result. */
export type ToolStub = {
  /** Answers one call. A method, so that a function may name the input of its tool. */
  stub(
    input: Readonly<Record<string, unknown>>,
    tool: ToolContext,
  ): ToolOutput | Promise<ToolOutput>;
}['stub'];

/** One call of a tool that a stub answered. */
export type StubbedCall = {
  /** The name of the tool. */
  readonly name: string;
  /** What the tool's schema made of the arguments. */
  readonly input: unknown;
  /** The path of the agent that called. */
  readonly path: string;
};

/** Stubs, and what was asked of them. */
export interface StubbedTools extends ToolStubs {
  /** The calls so far, in the order they began. */
  calls(): readonly StubbedCall[];
  /** Throws `script_unconsumed` when a stub was never called. */
  assertCalled(): void;
}

const stubsSchema = z.record(z.string().min(1), functionSchema<ToolStub>());

/**
 * Functions that run in the place of tools, for the option `stubs` of a supervisor: registered tools, tools of its
 * agents and their modules, and those of toolsets, the built-in ones too. Models see the same tools, the same agents may
 * call them, and arguments are judged by the same schemas; the functions run in the service's loop. A person is asked as
 * before; of tools of modules, what they declare themselves (`needsApproval`) and their presets stay in their threads.
 * `createSupervisor` throws `unknown_tool` for a stub whose tool does not exist; when modules may have it,
 * `assertCalled` shows that it was called. Throws `invalid_options` for what is no function.
 *
 * @example
 * ```js
 * import { createSupervisor } from 'troupe';
 * import { scripted, stubTools } from 'troupe/testing';
 *
 * const model = scripted({
 *   default: [
 *     { toolCalls: [{ name: 'write', input: { path: 'a.txt', content: 'hello' } }] },
 *     { text: 'written' },
 *   ],
 * });
 * const stubs = stubTools({ write: ({ path }) => `wrote nothing to ${path}` });
 * const supervisor = createSupervisor({ model, stubs });
 * try {
 *   await supervisor.delegate({ goal: 'Write.', toolsets: ['file'] });
 *   console.log(model.requests()[1].messages.at(-1).content[0].content); // → wrote nothing to a.txt
 *   console.log(stubs.calls()[0].input.content); // → hello
 *   stubs.assertCalled();
 * } finally {
 *   await supervisor.close();
 * }
 * ```
 */
export function stubTools(stubs: Readonly<Record<string, ToolStub>>): StubbedTools {
  const functions = new Map(Object.entries(parseOptions(stubsSchema, stubs, 'stubTools')));
  const calls: StubbedCall[] = [];
  const made = new WeakMap<object, AnyTool>();
  const make = (tool: AnyTool | ToolDescription, stub: ToolStub): AnyTool =>
    stubFor(tool, (input, context) => {
      const { path } = context.agent;
      calls.push({ name: tool.name, input: copyData(input), path });
      return stub(input, context);
    });
  return {
    kind: 'tool_stubs',
    names: [...functions.keys()],
    stubOf(tool) {
      const stub = functions.get(tool.name);
      if (stub === undefined) return null;
      const known = made.get(tool) ?? make(tool, stub);
      made.set(tool, known);
      return known;
    },
    calls: () => calls,
    assertCalled() {
      const called = new Set(calls.map(({ name }) => name));
      const unused = [...functions.keys()].filter((name) => !called.has(name));
      if (unused.length === 0) return;
      const names = unused.map(describe).join(', ');
      throw new TroupeError('script_unconsumed', `stubs of tools that were never called: ${names}`);
    },
  };
}

/** The tool with other code; what else hangs on a tool, such as to whom it asks questions, goes with its own code. */
function stubFor(tool: AnyTool | ToolDescription, run: ToolStub): AnyTool {
  const { name, description, isIdempotent, timeoutMs, tags } = tool;
  const same = { kind: 'tool' as const, name, description, isIdempotent, tags, run };
  if (!isTool(tool)) {
    return Object.freeze({
      ...same,
      ...omitUndefined({ timeoutMs }),
      input: schemaOf(tool as ToolDescription),
    });
  }
  const { describeAt, needsApproval, input } = tool;
  return Object.freeze({
    ...same,
    ...omitUndefined({ timeoutMs, describeAt, needsApproval }),
    input,
  });
}

/** A schema that judges as its JSON Schema says: that of a module stays in its thread. */
function schemaOf({ inputSchema }: ToolDescription): InputSchema {
  const judge = z.fromJSONSchema(inputSchema as Parameters<typeof z.fromJSONSchema>[0]);
  return {
    '~standard': {
      version: 1,
      vendor: 'troupe',
      validate: (value) => judge['~standard'].validate(value),
      jsonSchema: { input: () => ({ ...inputSchema }) },
    },
  };
}
