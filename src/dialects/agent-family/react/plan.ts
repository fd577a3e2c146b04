// Owns what a plan is and how it moves: subtasks, their states, what may follow what (D21). Pure.
import { z } from 'zod';
import { TroupeError } from '../../../base/failures.ts';

export const subtaskStates = ['todo', 'in_progress', 'done', 'abandoned'] as const;
export type SubtaskState = (typeof subtaskStates)[number];

export const subtaskSchema = z.object({
  name: z.string().min(1),
  description: z.string(),
  expectedOutcome: z.string().describe('How one sees that it is done.'),
});

const trackedSchema = subtaskSchema.extend({
  state: z.enum(subtaskStates),
  outcome: z.string().optional(),
});

export const planSchema = z.object({
  name: z.string().min(1),
  description: z.string(),
  expectedOutcome: z.string(),
  subtasks: z.array(trackedSchema).min(1),
});

export type NewSubtask = z.infer<typeof subtaskSchema>;
export type Plan = z.infer<typeof planSchema>;

/** How a plan is changed; subtasks are counted from 0. */
export type Revision =
  | { readonly action: 'add'; readonly index: number; readonly subtask: NewSubtask }
  | { readonly action: 'revise'; readonly index: number; readonly subtask: NewSubtask }
  | { readonly action: 'delete'; readonly index: number };

export function newPlan(plan: Omit<Plan, 'subtasks'>, subtasks: readonly NewSubtask[]): Plan {
  return { ...plan, subtasks: subtasks.map((each) => ({ ...each, state: 'todo' })) };
}

/** Throws `tool_failed` for a place there is not, and for a plan without any subtask left. */
export function revised(plan: Plan, revision: Revision): Plan {
  const { action, index } = revision;
  const { subtasks } = plan;
  const last = action === 'add' ? subtasks.length : subtasks.length - 1;
  if (index > last) throw noSubtask(plan, index);
  if (action === 'delete') {
    if (subtasks.length === 1) throw refused('a plan has at least one subtask; finish it instead');
    return { ...plan, subtasks: subtasks.toSpliced(index, 1) };
  }
  const subtask = { ...revision.subtask, state: 'todo' as const };
  const replaced = action === 'revise' ? 1 : 0;
  return { ...plan, subtasks: subtasks.toSpliced(index, replaced, subtask) };
}

/** One subtask at a time is in progress, in the order of the plan. Throws `tool_failed`. */
export function moved(
  plan: Plan,
  index: number,
  next: { readonly state: SubtaskState; readonly outcome?: string },
): Plan {
  const subtask = plan.subtasks[index];
  if (subtask === undefined) throw noSubtask(plan, index);
  if (next.state === 'in_progress') {
    const open = plan.subtasks.findIndex(
      ({ state }) => state === 'todo' || state === 'in_progress',
    );
    if (open >= 0 && open < index) {
      throw refused(`subtask ${open} comes first; it is ${plan.subtasks[open]?.state}`);
    }
    const current = plan.subtasks.findIndex(({ state }) => state === 'in_progress');
    if (current > index) throw refused(`subtask ${current} is in progress`);
  }
  return { ...plan, subtasks: plan.subtasks.with(index, { ...subtask, ...next }) };
}

/** The plan as its agent is shown it. */
export function planText({ name, description, expectedOutcome, subtasks }: Plan): string {
  const lines = subtasks.map(({ name: title, state, outcome }, index) => {
    const mark = state === 'done' ? 'x' : ' ';
    const came = outcome === undefined ? '' : `: ${outcome}`;
    return `- [${mark}] ${index} ${title} (${state})${came}`;
  });
  return [`# ${name}`, description, `Done when: ${expectedOutcome}`, ...lines].join('\n');
}

/** What the agent is reminded of ahead of its next step. */
export function planHint(plan: Plan | null): string {
  if (plan === null) {
    return 'You have no plan. For a task of several steps make one with create_plan; for any other go on without.';
  }
  const current = plan.subtasks.findIndex(({ state }) => state === 'in_progress');
  const next = plan.subtasks.findIndex(({ state }) => state === 'todo');
  if (current >= 0) {
    return `${planText(plan)}\nYou are at subtask ${current}. When it is done, call finish_subtask with what came of it.`;
  }
  if (next >= 0) {
    return `${planText(plan)}\nSubtask ${next} is next: call update_subtask_state before you begin it.`;
  }
  return `${planText(plan)}\nNothing is left to do: call finish_plan, then answer.`;
}

function noSubtask({ subtasks }: Plan, index: number): TroupeError {
  return refused(`there is no subtask ${index}; the last is ${subtasks.length - 1}`);
}

function refused(message: string): TroupeError {
  return new TroupeError('tool_failed', message);
}
