// Owns what is written of a run that timed out without one answer of its model: a text for people (C23, C24). Pure.
import type { Failure } from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { TroupeEvent } from '../../events/event-types.ts';
import type { CredentialSource } from '../../models/keys/credential-source.ts';
import type { AgentSpec } from '../resolve/agent-spec.ts';
import type { Task } from '../task.ts';

export type TimedOutRun = {
  readonly outcome: Outcome;
  readonly spec: AgentSpec;
  readonly task: Pick<Task, 'goal' | 'context'>;
  /** Kept events, oldest first; those of other runs are left out here. */
  readonly events: readonly TroupeEvent[];
  readonly credentials: CredentialSource;
  /** Milliseconds since 1970. */
  readonly wallTime: number;
  /** Removes secrets from a text. */
  readonly clean: (text: string) => string;
};

/** True when there is something to find out: no call of its own was answered (C23). What its children asked does not count. */
export function needsReport({ status, usage }: Outcome): boolean {
  return status === 'timeout' && usage.own.modelCalls === 0;
}

/** The report. It contains sizes instead of texts, and of credentials only where they came from. */
export function timeoutReport(run: TimedOutRun): string {
  const { outcome, spec, task, credentials, wallTime, clean } = run;
  const { agent, error, durationMs, taskId } = outcome;
  const { shared, head } = spec;
  const own = eventsOf(run);
  // Cleaned before it is cut: a half of a key would not be known for one.
  const lines = [
    'A subagent timed out before its model had answered once.',
    ...section('run', {
      written: new Date(wallTime).toISOString(),
      task: taskId,
      agent: agent.id,
      name: agent.name,
      path: agent.path,
      depth: agent.depth,
      parent: agent.parentId ?? 'none',
      exit: outcome.exitReason,
      phase: outcome.partial?.phase ?? 'unknown',
      error: error?.message ?? 'none',
      durationMs: Math.round(durationMs),
    }),
    ...section('configuration', {
      model: spec.modelId,
      settings: JSON.stringify(spec.settings),
      toolsets: listOf([...shared.toolsets, ...spec.hostToolsets.map(({ name }) => name)]),
      tools: listOf(shared.tools.map(({ name, where }) => `${name} (${where})`)),
      workspace: shared.workspace,
      maxTurns: shared.maxTurns,
      maxOutputTokens: spec.maxOutputTokens ?? 'not set',
      idleTimeoutMs: spec.idleTimeoutMs,
      totalTimeoutMs: spec.totalTimeoutMs ?? 'not set',
    }),
    ...section('prompt', {
      systemChars: head.system.length,
      goalChars: task.goal.length,
      contextChars: task.context?.length ?? 0,
      toolSchemaChars: JSON.stringify(head.tools).length,
    }),
    ...section('credentials', {
      source: sourceText(credentials),
      host: credentials.host ?? 'not known to the runtime',
    }),
    'events:',
    ...listed(own.map((event) => lineOf(event, own[0]?.at ?? event.at))),
    'error messages:',
    ...listed(own.flatMap(messagesOf)),
  ];
  return `${lines.map((queue) => oneLine(clean(queue))).join('\n')}\n`;
}

function section(title: string, fields: Readonly<Record<string, string | number>>): string[] {
  const lines = Object.entries(fields).map(([name, value]) => `  ${name}: ${value}`);
  return [`${title}:`, ...lines];
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}

function listed(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? ['  none'] : lines.map((queue) => `  ${queue}`);
}

function sourceText({ source, variable, labels = [] }: CredentialSource): string {
  switch (source) {
    case 'none':
      return 'none needed';
    case 'program':
      return 'the model is an object of the program and has its own';
    case 'pool':
      return `a pool of the option credentials, keys: ${listOf(labels)}`;
    case 'environment':
      return `the environment variable ${variable}`;
    case 'endpoint':
      return 'the apiKey of the endpoint itself';
  }
}

const maxEvents = 100;

/** Its own events since it was queued, and those that name no task and no agent: logs and lost threads. */
function eventsOf({ events, outcome }: TimedOutRun): readonly TroupeEvent[] {
  const { taskId, agent } = outcome;
  const queued = events.findIndex((event) => event.taskId === taskId);
  const since = queued < 0 ? events : events.slice(queued);
  const own = since.filter((event) => {
    if (event.taskId !== undefined) return event.taskId === taskId;
    if (event.agentId !== undefined) return event.agentId === agent.id;
    return event.type === 'log' || event.type === 'thread_lost';
  });
  return own.slice(0, maxEvents);
}

function lineOf(event: TroupeEvent, from: number): string {
  return `+${event.at - from} ms ${event.type}`;
}

/** What went wrong on the way, early ones first. */
function messagesOf(event: TroupeEvent): readonly string[] {
  switch (event.type) {
    case 'log':
      return [`${event.level}: ${event.message}${because(event.failure)}`];
    case 'thread_lost':
    case 'tool_completed':
      return event.failure === undefined ? [] : [`${event.type}${because(event.failure)}`];
    case 'credential_rotated':
      return [`credential_rotated from ${event.from} to ${event.to}: ${event.reason}`];
    case 'model_fallback':
      return [`model_fallback from ${event.from} to ${event.to}${because(event.failure)}`];
    case 'timeout_fired':
      return [`timeout_fired: ${event.clock} after ${event.limitMs} ms, ${event.phase}`];
    default:
      return [];
  }
}

function because(why: Failure | undefined): string {
  return why === undefined ? '' : `: ${why.code}: ${why.message}`;
}

const maxLine = 2_000;

function oneLine(queue: string): string {
  return queue.replace(/\p{Cc}+/gu, ' ').slice(0, maxLine);
}
