// Owns the tools by which Claude Code's loops delegate: `Agent`, `TaskOutput`, `SendMessage`, `TaskStop`, in the foreground or the background.
import { z } from 'zod';
import { type AgentDefinition, agentSchema } from '../../agent/definition.ts';
import { asTrustedTask } from '../../agent/trusted-task.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import { type Outcome, outcomeStatuses } from '../../base/outcome.ts';
import { parseOptions } from '../../base/parse-options.ts';
import type { BackgroundTask } from '../../protocol/host-services.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { delegateOne } from '../../tools/delegate-one.ts';
import { describeOutcome, withImages } from '../../tools/describe-outcome.ts';
import { describedAt } from '../../tools/described-at.ts';
import { capabilityTags } from '../../tools/tags.ts';
import { timeoutSchema } from '../../tools/timeout-schema.ts';
import type { AnyTool, Subtask, ToolContext } from '../../tools/tool.ts';
import { describeAgents, generalDescription } from './description.ts';

/** Options of `agentTools`. */
export type AgentToolOptions = {
  /**
   * Whom `subagent_type` may name: definitions, or names of the supervisor's agents. Default: any of the supervisor's.
   * Without a type the child is a general one with its caller's tools.
   */
  readonly agents?: readonly (string | AgentDefinition)[];
  /** Milliseconds a call of `Agent` may take; then its child is stopped. Default: none. A task in the background has none. */
  readonly timeoutMs?: number;
  /**
   * Answers end with the id of their task, `[task t2]`, for `resume` and `SendMessage`. Default false: the model knows the ids of
   * tasks in the background alone.
   */
  readonly resumable?: boolean;
};

const optionsSchema = z.strictObject({
  agents: z.array(z.union([z.string().min(1), agentSchema])).optional(),
  timeoutMs: timeoutSchema.optional(),
  resumable: z.boolean().optional(),
});

const agentInput = z.object({
  description: z.string().describe('The task in three to five words.'),
  prompt: z.string().min(1).describe('The whole task; the subagent sees nothing else.'),
  subagent_type: z.string().nullish().describe('Which kind of subagent. Default: a general one.'),
  run_in_background: z
    .boolean()
    .nullish()
    .describe('True returns at once with a task id; read the end with TaskOutput.'),
  resume: z
    .string()
    .nullish()
    .describe('The id of a task that has ended: its subagent goes on, with all it remembers.'),
});
const outputInput = z.object({
  task_id: z
    .string()
    .nullish()
    .describe('The id that Agent answered with. Left out: lists what runs and what ended unread.'),
  block: z.boolean().nullish().describe('False asks without waiting. Default: true.'),
  timeout: z.number().min(0).nullish().describe('Milliseconds to wait. Default 30000.'),
});
const messageInput = z.object({
  to: z.string().describe('The id of a task of Agent.'),
  message: z.string().min(1).describe('What its subagent is to read.'),
});
const stopInput = z.object({ task_id: z.string().describe('The id that Agent answered with.') });

/** What the model reads about the end of a background task: for a loop of the program, and for an agent's run. */
const keptEnd = 'Its end is kept until it is read: TaskOutput waits for it.';
const notifiedEnd =
  'You are told when it ends, so there is no need to ask; TaskOutput waits for it. It ends with you: ' +
  'what you need of it, wait for before your last answer.';

const defaultWaitMs = 30_000;
const tags = [capabilityTags.delegation];

/**
 * `Agent`, and with it `TaskOutput`, `TaskStop` and `SendMessage` for what runs in the background, and for going on with what
 * has ended. A background task of an agent ends with
 * the agent's run, one of a loop of the program ends with its session at the latest. Throws `invalid_options`.
 */
export function agentTools(options: AgentToolOptions = {}): readonly AnyTool[] {
  const {
    agents,
    timeoutMs,
    resumable = false,
  } = parseOptions(optionsSchema, options, 'agentTools');
  const allowed = agents === undefined ? undefined : (options.agents ?? []).map(asGiven);
  const agent = defineTool({
    name: 'Agent',
    description: generalDescription,
    input: agentInput,
    tags,
    timeoutMs,
    async run(input, tool) {
      const task = taskOf(input, allowed);
      if (input.run_in_background === true) {
        const taskId = await tool.background.start(task);
        return `Task ${taskId} runs in the background. ${endOf(tool)}`;
      }
      return answerOf(await delegateOne(tool, task), resumable);
    },
  });
  return [
    describedAt(agent, (reach) => describeAgents(allowed, reach)),
    defineTool({
      name: 'TaskOutput',
      description: 'Wait for a background task and read its end, or ask how it stands.',
      input: outputInput,
      tags,
      async run({ task_id: taskId, block, timeout }, tool) {
        if (taskId === null || taskId === undefined) return listOf(await tool.background.list());
        const timeoutMs = block === false ? 0 : (timeout ?? defaultWaitMs);
        const outcome = await tool.background.wait(taskId, { timeoutMs });
        if (outcome !== null) return answerOf(outcome, resumable);
        const list = listOf(await tool.background.list());
        return `Task ${taskId} still runs. It goes on; do other work meanwhile, or wait for it again.\n${list}`;
      },
    }),
    defineTool({
      name: 'SendMessage',
      description:
        'Send a message to a subagent. One that runs reads it ahead of its next step; one that has ended goes on with it in the background.',
      input: messageInput,
      tags,
      async run({ to, message }, tool) {
        const { background } = tool;
        const known = (await background.list()).find(({ taskId }) => taskId === to);
        if (known !== undefined && !hasEnded(known)) {
          const { status } = await background.steer(to, message);
          if (status !== 'undelivered')
            return `Task ${to} reads your message ahead of its next step.`;
        }
        const taskId = await background.start({ goal: message, continues: to });
        return `Task ${to} had ended. It goes on in the background as task ${taskId}. ${endOf(tool)}`;
      },
    }),
    defineTool({
      name: 'TaskStop',
      description: 'Stop a background task.',
      input: stopInput,
      tags,
      async run({ task_id: taskId }, tool) {
        const outcome = await tool.background.stop(taskId);
        const { status, text } = outcome;
        const end = `Task ${taskId} has ended: ${status}.`;
        if (status !== 'completed') return `${end}${describeOutcome(outcome).soFar}`;
        return withImages(text === '' ? end : `${end}\n${text}`, outcome);
      },
    }),
  ];
}

/** A copy that is trusted as given by the program: what it names is granted. */
function asGiven(agent: string | AgentDefinition): string | AgentDefinition {
  return typeof agent === 'string' ? agent : asTrustedTask({ ...agent });
}

function taskOf(
  { description, prompt, subagent_type: type, resume }: z.output<typeof agentInput>,
  allowed: readonly (string | AgentDefinition)[] | undefined,
): Subtask {
  const earlier =
    resume === null || resume === undefined || resume === '' ? {} : { continues: resume };
  const task = { goal: prompt, metadata: { description }, ...earlier };
  if (type === null || type === undefined || type === '') return task;
  const agent = allowed === undefined ? type : allowed.find((each) => nameOf(each) === type);
  if (agent !== undefined) return { ...task, agent };
  const names = allowed?.map(nameOf).join(', ') || 'none';
  throw new TroupeError('unknown_agent', `there is no agent ${describe(type)}; there is: ${names}`);
}

/** The child's answer; any end but success is an error with the text so far. */
function answerOf(outcome: Outcome, isNamed: boolean): ReturnType<typeof withImages> {
  const { answer, reason, soFar } = describeOutcome(outcome);
  const id = isNamed ? `\n\n[task ${outcome.taskId}]` : '';
  if (answer !== null) return withImages(`${answer}${id}`, outcome);
  const { code, message } = reason;
  throw new TroupeError(code, `the subagent did not finish: ${message}${soFar}${id}`);
}

/** Where the model learns of the end of a task in the background. */
function endOf({ agent }: ToolContext): string {
  return agent.id === '' ? keptEnd : notifiedEnd;
}

function hasEnded({ status }: BackgroundTask): boolean {
  return outcomeStatuses.some((ended) => ended === status);
}

/** The tasks in the background, so that the model does not start the same again. */
function listOf(tasks: readonly BackgroundTask[]): string {
  if (tasks.length === 0) return 'In the background: nothing.';
  const lines = tasks.map(
    ({ taskId, status, goal }) => `- ${taskId}, ${status}: ${inOneLine(goal)}`,
  );
  return ['In the background:', ...lines].join('\n');
}

function inOneLine(goal: string): string {
  const line = goal.trim().replace(/\s+/g, ' ');
  return line.length <= 100 ? line : `${line.slice(0, 99)}…`;
}

function nameOf(agent: string | AgentDefinition): string {
  return typeof agent === 'string' ? agent : agent.name;
}
