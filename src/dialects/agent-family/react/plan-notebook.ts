// Owns the plan notebook: the plan an agent is on, those it finished, the tools by which it keeps them (D21).
import { z } from 'zod';
import { TroupeError } from '../../../base/failures.ts';
import { parseOptions } from '../../../base/parse-options.ts';
import { defineTool } from '../../../tools/define-tool.ts';
import type { AnyTool } from '../../../tools/tool.ts';
import type { StateDict, Stateful } from '../base/state.ts';
import {
  moved,
  newPlan,
  type Plan,
  planHint,
  planSchema,
  planText,
  type Revision,
  revised,
  subtaskSchema,
  subtaskStates,
} from './plan.ts';

/** What a ReAct agent needs of a notebook; another of the program's own fits as well. */
export interface PlanKeeper extends Stateful {
  /** Of the tool group, for the model. */
  readonly description: string;
  /** The tools by which a model makes and revises the plan. */
  tools(): readonly AnyTool[];
  /** What the agent is reminded of ahead of its next step; null for nothing. */
  hint(): string | null;
}

export type FinishedPlan = {
  readonly plan: Plan;
  readonly state: 'done' | 'abandoned';
  readonly outcome: string;
};

const finishedSchema = z.object({
  plan: planSchema,
  state: z.enum(['done', 'abandoned']),
  outcome: z.string(),
});
const stateSchema = z.object({ plan: planSchema.nullable(), finished: z.array(finishedSchema) });
const noOptions = z.strictObject({});

const index = z.number().int().min(0).describe('Counted from 0.');

/** One plan at a time. */
export class PlanNotebook implements PlanKeeper {
  readonly description = 'Tools to make a plan of subtasks, follow it and change it.';
  #plan: Plan | null = null;
  #finished: readonly FinishedPlan[] = [];

  /** It has no options. Throws `invalid_options` for any. */
  constructor(options: Readonly<Record<string, never>> = {}) {
    parseOptions(noOptions, options, 'PlanNotebook');
  }

  /** The plan there is; null while there is none. */
  get plan(): Plan | null {
    return this.#plan;
  }

  /** The plans that were finished, oldest first. */
  get finished(): readonly FinishedPlan[] {
    return this.#finished;
  }

  hint(): string {
    return planHint(this.#plan);
  }

  tools(): readonly AnyTool[] {
    return [
      this.#create(),
      this.#revise(),
      this.#update(),
      this.#finishSubtask(),
      this.#view(),
      this.#finish(),
    ];
  }

  stateDict(): StateDict {
    return structuredClone({ plan: this.#plan, finished: this.#finished });
  }

  /** Throws `invalid_options` for what is no stored notebook. */
  loadStateDict(state: StateDict): void {
    const { plan, finished } = parseOptions(stateSchema, state, 'plan notebook');
    this.#plan = plan;
    this.#finished = finished;
  }

  #create(): AnyTool {
    return defineTool({
      name: 'create_plan',
      description: 'Makes a plan of subtasks; a plan you are on is put away as abandoned.',
      input: z.object({
        name: z.string().min(1),
        description: z.string(),
        expectedOutcome: z.string(),
        subtasks: z.array(subtaskSchema).min(1),
      }),
      run: ({ subtasks, ...plan }) => {
        if (this.#plan !== null) this.#putAway('abandoned', `replaced by ${plan.name}`);
        return this.#show(newPlan(plan, subtasks));
      },
    });
  }

  #revise(): AnyTool {
    return defineTool({
      name: 'revise_current_plan',
      description: 'Adds a subtask at a place, replaces one, or deletes one.',
      input: z.object({
        action: z.enum(['add', 'revise', 'delete']),
        index,
        subtask: subtaskSchema.optional().describe('Not for delete.'),
      }),
      run: ({ action, index: at, subtask }) =>
        this.#show(revised(this.#current(), revisionOf(action, at, subtask))),
    });
  }

  #update(): AnyTool {
    return defineTool({
      name: 'update_subtask_state',
      description: 'Says where a subtask stands. finish_subtask is for those that are done.',
      input: z.object({ index, state: z.enum(subtaskStates).exclude(['done']) }),
      run: ({ index: at, state }) => this.#show(moved(this.#current(), at, { state })),
    });
  }

  #finishSubtask(): AnyTool {
    return defineTool({
      name: 'finish_subtask',
      description: 'Says that a subtask is done, and what came of it.',
      input: z.object({ index, outcome: z.string().min(1) }),
      run: ({ index: at, outcome }) =>
        this.#show(moved(this.#current(), at, { state: 'done', outcome })),
    });
  }

  #view(): AnyTool {
    return defineTool({
      name: 'view_plans',
      description: 'Shows the plan you are on, and those that are over.',
      input: z.object({}),
      run: () => {
        const over = this.#finished.map(
          ({ plan, state, outcome }) => `${plan.name}: ${state}, ${outcome}`,
        );
        return [this.#plan === null ? 'No plan.' : planText(this.#plan), ...over].join('\n');
      },
    });
  }

  #finish(): AnyTool {
    return defineTool({
      name: 'finish_plan',
      description: 'Ends the plan, with what came of it.',
      input: z.object({ state: z.enum(['done', 'abandoned']), outcome: z.string().min(1) }),
      run: ({ state, outcome }) => {
        const { name } = this.#current();
        this.#putAway(state, outcome);
        return `Plan ${name} is ${state}.`;
      },
    });
  }

  #current(): Plan {
    if (this.#plan !== null) return this.#plan;
    throw new TroupeError('tool_failed', 'there is no plan; make one with create_plan');
  }

  #show(plan: Plan): string {
    this.#plan = plan;
    return planText(plan);
  }

  #putAway(state: FinishedPlan['state'], outcome: string): void {
    this.#finished = [...this.#finished, { plan: this.#current(), state, outcome }];
    this.#plan = null;
  }
}

function revisionOf(
  action: Revision['action'],
  at: number,
  subtask: z.infer<typeof subtaskSchema> | undefined,
): Revision {
  if (action === 'delete') return { action, index: at };
  if (subtask === undefined) throw new TroupeError('tool_failed', `to ${action}, say the subtask`);
  return { action, index: at, subtask };
}
