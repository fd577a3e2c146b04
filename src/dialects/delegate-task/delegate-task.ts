// Owns dialect C: the tool `delegate_task`. Goals handed to children, single or in a batch, summaries taken back.
import { TroupeError } from '../../base/failures.ts';
import type { Outcome } from '../../base/outcome.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { withImages } from '../../tools/describe-outcome.ts';
import { describedAt } from '../../tools/described-at.ts';
import { fitted } from '../../tools/fitted.ts';
import { capabilityTags } from '../../tools/tags.ts';
import type { Tool, ToolContext } from '../../tools/tool.ts';
import { childOf } from './child.ts';
import { envelopeOf } from './envelope.ts';
import { type DelegatedTask, delegateInput } from './input.ts';
import { type DelegateTaskOptions, type Settings, settingsOf } from './options.ts';
import { describeTool } from './prompt.ts';

/**
 * The tool `delegate_task` for an agent of the tree or, through `session.tools`, for any loop. A call ends when all of its
 * children have; none outlives it, and nothing of it survives the process. A call that meets a limit is an
 * error result and starts no child. Throws `invalid_options`.
 */
export function delegateTaskTool(
  options: DelegateTaskOptions = {},
): Tool<readonly DelegatedTask[]> {
  const settings = settingsOf(options);
  const { onWarning } = options;
  if (onWarning !== undefined) for (const each of settings.corrections) onWarning(each);
  const tool: Tool<readonly DelegatedTask[]> = describedAt(
    defineTool({
      name: 'delegate_task',
      description: describeTool(settings),
      input: delegateInput,
      tags: [capabilityTags.delegation],
      timeoutMs: settings.timeoutMs,
      async run(tasks, caller) {
        refuse(tasks, caller, settings);
        const depth = caller.agent.depth + 1;
        const place = { depth, isOfLoop: caller.agent.id === '', delegateTool: tool };
        const children = tasks.map((task) => childOf(task, settings, place));
        const outcomes = await caller.delegate(
          children.map(({ task }) => task),
          { maxConcurrentChildren: settings.maxConcurrentChildren },
        );
        refuseRejected(outcomes);
        const warnings = warningsOf([...children, ...outcomes]);
        return fitted((available, keep, elapsedMs) => {
          const maxChars = Math.min(available, settings.maxResultChars);
          const text = envelopeOf(outcomes, { maxChars, warnings, elapsedMs, keep });
          return withImages(text, ...outcomes);
        });
      },
    }),
    (reach) => describeTool(settings, reach),
    onWarning === undefined ? settings.corrections : [],
  );
  return tool;
}

/** Each once: what was corrected in the call, and what its children did not get. */
function warningsOf(
  accepted: readonly { readonly warnings?: readonly string[] }[],
): readonly string[] {
  return [...new Set(accepted.flatMap(({ warnings = [] }) => warnings))];
}

/** Throws the error that the model receives for a call beyond a limit of these options. */
function refuse(tasks: readonly DelegatedTask[], caller: ToolContext, settings: Settings): void {
  const { maxConcurrentChildren: max, maxSpawnDepth } = settings;
  if (max !== undefined && tasks.length > max) {
    throw new TroupeError(
      'max_concurrent_children',
      `${tasks.length} tasks in one call, the limit is ${max}. Nothing was started: send at most ${max} at a time.`,
    );
  }
  const { depth } = caller.agent;
  if (maxSpawnDepth !== undefined && depth >= maxSpawnDepth) {
    throw new TroupeError(
      'max_spawn_depth',
      `you are at depth ${depth}, and the limit is ${maxSpawnDepth}: you cannot delegate. Do the work yourself.`,
    );
  }
}

/** A limit of the supervisor refuses a call whole: that is an error, not a list of them. */
function refuseRejected(outcomes: readonly Outcome[]): void {
  const [first] = outcomes;
  const isRefused = outcomes.every(({ exitReason }) => exitReason === 'rejected');
  if (first?.error === undefined || !isRefused) return;
  throw new TroupeError(first.error.code, `${first.error.message}. Nothing was started.`);
}
