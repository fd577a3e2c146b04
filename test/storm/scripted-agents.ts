// Owns the agents of a storm over trees: a model whose every answer is held until the storm gives it, and the tools they call.
import { z } from 'zod';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  askParentTool,
  defineTool,
  type Model,
  type ModelRequest,
  type ModelResponse,
  TroupeError,
} from '#src/index.js';
import type { AnyTool } from '#src/tools/tool.js';
import { goalOfFirst as goalOf } from '../support/directed.ts';
import type { Call, Turn } from './moves.ts';

/** A model call that waits for its answer. */
export type OpenRequest = {
  readonly request: ModelRequest;
  readonly goal: string;
  say(turn: ScriptedTurn): void;
};

/** A turn with its calls made concrete. */
export type ScriptedTurn =
  | { readonly calls: readonly (readonly [name: string, input: unknown])[] }
  | { readonly fails: true };

/** What the storm holds in its hands: everything somebody waits for. */
export class ScriptedAgents {
  readonly open = new Set<OpenRequest>();
  readonly gates = new Set<() => void>();
  readonly approvals = new Set<(answer: ApprovalAnswer) => void>();
  /** From now on a gate lets every call through: a call may be told of before it reaches its gate. */
  areGatesOpen = false;
  #asked = 0;
  /** Tells how to answer a goal at once; null leaves it to the storm. */
  readonly #atOnce: (request: ModelRequest, goal: string) => ScriptedTurn | null;

  constructor(atOnce: (request: ModelRequest, goal: string) => ScriptedTurn | null) {
    this.#atOnce = atOnce;
  }

  readonly model: Model = {
    id: 'puppets',
    respond: (request, { signal, onDelta }) =>
      new Promise((resolve, reject) => {
        const goal = goalOf(request);
        this.#asked += 1;
        const number = this.#asked;
        if (number % 3 === 0) onDelta({ type: 'text', text: `${goal} begins` });
        const onAbort = (): void => {
          this.open.delete(asked);
          // Some models do not hear of it, and answer too late.
          if (number % 5 === 0) setImmediate(() => resolve(responseOf(request, goal, [])));
          else reject(signal.reason);
        };
        const asked: OpenRequest = {
          request,
          goal,
          say: (turn) => {
            this.open.delete(asked);
            signal.removeEventListener('abort', onAbort);
            if ('fails' in turn) reject(new TroupeError('model_failed', 'out of words'));
            else resolve(responseOf(request, goal, turn.calls));
          },
        };
        const turn = this.#atOnce(request, goal);
        if (turn !== null) asked.say(turn);
        else if (signal.aborted) reject(signal.reason);
        else {
          this.open.add(asked);
          signal.addEventListener('abort', onAbort, { once: true });
        }
      }),
  };

  /** Answered by the storm, or of no use any more. */
  readonly approve = ({ signal }: ApprovalRequest): Promise<ApprovalAnswer> =>
    new Promise((resolve) => {
      const answer = (value: ApprovalAnswer): void => {
        this.approvals.delete(answer);
        resolve(value);
      };
      this.approvals.add(answer);
      signal.addEventListener('abort', () => answer('deny'), { once: true });
    });

  tools(): readonly AnyTool[] {
    const goals = z.object({ goals: z.array(z.string()) });
    const none = z.object({});
    return [
      delegateTaskTool({ toolsets: [], maxIterations: 20 }),
      askParentTool(),
      defineTool({
        name: 'delegate',
        description: 'Hands goals to puppets.',
        input: goals,
        async run(input, tool) {
          const outcomes = await tool.delegate(
            input.goals.map((goal) => ({ goal, agent: 'puppet' })),
          );
          return outcomes.map(({ error, text }) => error?.code ?? text);
        },
      }),
      defineTool({
        name: 'begin',
        description: 'Starts a task in the background.',
        input: z.object({ goal: z.string() }),
        run: ({ goal }, tool) => tool.background.start({ goal, agent: 'puppet' }),
      }),
      defineTool({
        name: 'join',
        description: 'Waits for a task in the background.',
        input: z.object({
          taskId: z.string(),
          options: z.object({ timeoutMs: z.number().optional() }),
        }),
        async run({ taskId, options: { timeoutMs } }, tool) {
          const options = timeoutMs === undefined ? {} : { timeoutMs };
          const outcome = await tool.background.wait(taskId, options);
          return outcome === null ? 'not yet' : `heard of ${taskId}: ${outcome.status}`;
        },
      }),
      defineTool({
        name: 'stop',
        description: 'Stops a task in the background.',
        input: z.object({ taskId: z.string() }),
        async run({ taskId }, tool) {
          const { status } = await tool.background.stop(taskId);
          return `heard of ${taskId}: ${status}`;
        },
      }),
      defineTool({
        name: 'gate',
        description: 'Waits until it is let, or ended.',
        input: none,
        run: (_input, { signal }) =>
          new Promise((resolve, reject) => {
            const open = (): void => {
              this.gates.delete(open);
              resolve('let');
            };
            const onAbort = (): void => {
              this.gates.delete(open);
              reject(signal.reason);
            };
            if (signal.aborted) onAbort();
            else if (this.areGatesOpen) open();
            else this.gates.add(open);
            signal.addEventListener('abort', onAbort, { once: true });
          }),
      }),
      defineTool({
        name: 'deaf_host',
        description: 'Never answers, whatever it is told.',
        input: none,
        run: () => new Promise(() => {}),
      }),
      defineTool({
        name: 'careful',
        description: 'Needs a word.',
        input: none,
        needsApproval: true,
        run: () => 'ran',
      }),
    ];
  }
}

/** Makes a turn concrete: goals for children, ids of tasks to join. */
export function reportOf(
  turn: Turn,
  { nextGoal, taskOf }: { nextGoal: (kind: string) => string; taskOf: (which: number) => string },
): ScriptedTurn {
  if ('fails' in turn) return turn;
  const goals = (count: number): readonly string[] =>
    Array.from({ length: count }, () => nextGoal(count > 20 ? 'wide' : 'child'));
  const concrete = (call: Call): readonly [string, unknown] => {
    switch (call.call) {
      case 'delegate':
      case 'hand_over_all':
        return [call.call, { goals: goals(call.width) }];
      case 'delegate_task': {
        const { role } = call;
        return [call.call, { tasks: goals(call.width).map((goal) => ({ goal, role })) }];
      }
      case 'begin':
      case 'begin_in_thread':
        return [call.call, { goal: nextGoal('background') }];
      case 'join':
      case 'join_in_thread': {
        const options = call.looks ? { timeoutMs: 0 } : {};
        return [call.call, { taskId: taskOf(call.task), options }];
      }
      case 'stop':
        return [call.call, { taskId: taskOf(call.task) }];
      case 'ask_parent':
        return [call.call, { question: 'Which way?' }];
      case 'terminal':
        return [call.call, { command: 'sleep 600' }];
      default:
        return [call.call, {}];
    }
  };
  return { calls: turn.calls.map(concrete) };
}

function responseOf(
  { agent, turn, messages }: ModelRequest,
  goal: string,
  calls: readonly (readonly [string, unknown])[],
): ModelResponse {
  const uses = calls.map(([name, input], at) => ({
    type: 'tool_use' as const,
    id: `call_${agent.id}_${messages.length}_${turn}_${at}`,
    name,
    input,
  }));
  return {
    content: [{ type: 'text', text: `${goal} said` }, ...uses],
    stopReason: uses.length > 0 ? 'tool_use' : 'end_turn',
    usage: { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
    isEstimated: false,
    model: 'puppets',
  };
}
