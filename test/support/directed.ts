// Shared arrangements of the tests of delegation: a model that answers by the goal it was given, and readings of what it saw. Starts no test.
import { TroupeError } from '#src/base/failures.js';
import {
  createSupervisor,
  type Model,
  type ModelRequest,
  type Supervisor,
  type SupervisorOptions,
} from '#src/index.js';
import { watched } from '../supervisor/support.ts';

/** What an agent does in one turn. */
export type Step = {
  readonly text?: string;
  readonly calls?: readonly (readonly [name: string, input: unknown])[];
  /** Answers only then. */
  readonly after?: Promise<unknown>;
  /** Never answers. */
  readonly hang?: true;
  readonly fail?: string;
};

/** The steps of each goal; an agent with a goal that is not here says `<goal> done`. */
export type Parts = Readonly<Record<string, readonly Step[]>>;

export type Directed = Model & { requests(goal?: string): readonly ModelRequest[] };

/** The first line of what an agent was asked. */
export const goalOfFirst = ({ messages }: Pick<ModelRequest, 'messages'>): string => {
  const [block] = messages[0]?.content ?? [];
  return block?.type === 'text' ? (block.text.split('\n')[0] ?? '') : '';
};

/** The first line of what an agent was asked last: an agent that remembers was asked before. */
export const lastGoalOf = ({ messages }: Pick<ModelRequest, 'messages'>): string => {
  const prompts = messages.filter(
    ({ role, content }) => role === 'user' && content[0]?.type === 'text',
  );
  return goalOfFirst({ messages: prompts.slice(-1) });
};

/** A model that plays the part of the goal it is given, whoever asks and in whatever order. */
export function directed(parts: Parts, goalOf = goalOfFirst): Directed {
  const seen: ModelRequest[] = [];
  return {
    id: 'directed',
    requests: (goal) => seen.filter((each) => goal === undefined || goalOf(each) === goal),
    async respond(request, { signal }) {
      seen.push(request);
      const goal = goalOf(request);
      const steps = parts[goal] ?? [{ text: `${goal} done` }];
      const step = steps[Math.min(request.turn, steps.length) - 1] ?? {};
      await step.after;
      if (step.hang === true) await new Promise((_, reject) => rejectOn(signal, reject));
      if (step.fail !== undefined) throw new TroupeError('model_failed', step.fail);
      const calls = (step.calls ?? []).map(([name, input], at) => ({
        type: 'tool_use' as const,
        id: `call_${request.agent.id}_${request.turn}_${at}`,
        name,
        input,
      }));
      const text = step.text === undefined ? [] : [{ type: 'text' as const, text: step.text }];
      return {
        content: [...text, ...calls],
        stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
        usage: { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
        isEstimated: false,
        model: 'directed',
      };
    },
  };
}

function rejectOn(signal: AbortSignal, reject: (reason: unknown) => void): void {
  if (signal.aborted) reject(signal.reason);
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
}

/** A supervisor whose agents play these parts; closed and audited after the test. */
export function directing(
  parts: Parts,
  options: Partial<SupervisorOptions> = {},
  goalOf = goalOfFirst,
): { supervisor: Supervisor; model: Directed; watch: ReturnType<typeof watched>['watch'] } {
  const model = directed(parts, goalOf);
  return { ...watched(createSupervisor({ model, ...options })), model };
}

/** The names of the tools that the agent with this goal was offered first. */
export function toolsOf(model: Directed, goal: string): readonly string[] | undefined {
  return model.requests(goal)[0]?.tools.map(({ name }) => name);
}

/** The newest results in an agent's request, whatever was said to it after them: text and whether it is an error. */
export function resultsIn(request: ModelRequest | undefined): readonly [string, boolean][] {
  const all = (request?.messages ?? []).map(({ content }) =>
    content.flatMap((block) =>
      block.type === 'tool_result'
        ? [[String(block.content), block.is_error === true] as [string, boolean]]
        : [],
    ),
  );
  return all.filter((results) => results.length > 0).at(-1) ?? [];
}

export type Entry = {
  readonly task_index: number;
  readonly status: string;
  readonly exit_reason: string;
  readonly summary: string;
  readonly error?: { readonly code: string };
  readonly agent: { readonly path: string };
  readonly [field: string]: unknown;
};

/** The envelope of a call that was no error. */
export function envelopeIn(result: { readonly content: unknown; readonly isError: boolean }): {
  readonly results: readonly Entry[];
  readonly warnings?: readonly string[];
} {
  if (result.isError) throw new Error(`expected results, got ${String(result.content)}`);
  return JSON.parse(String(result.content));
}
