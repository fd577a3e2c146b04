// Checks how a plan moves: which subtask may be begun when. Pure.
import { describe, expect, it } from 'vitest';
import { moved, newPlan } from '#src/dialects/agent-family/react/plan.js';

const subtasks = ['boil', 'pour', 'drink'].map((name) => ({
  name,
  description: '',
  expectedOutcome: '',
}));
const plan = newPlan({ name: 'tea', description: '', expectedOutcome: '' }, subtasks);

describe('a plan', () => {
  it('has one subtask in progress at a time, in order (D21)', () => {
    const boiled = moved(plan, 0, { state: 'done', outcome: 'it boils' });
    const pouring = moved(boiled, 1, { state: 'in_progress' });

    expect(() => moved(plan, 1, { state: 'in_progress' })).toThrow(/subtask 0 comes first/);
    expect(() => moved(pouring, 0, { state: 'in_progress' })).toThrow(/subtask 1 is in progress/);
    expect(() => moved(pouring, 2, { state: 'in_progress' })).toThrow(/subtask 1 comes first/);
    expect(moved(pouring, 1, { state: 'in_progress' })).toEqual(pouring);
    expect(() => moved(plan, 3, { state: 'done' })).toThrow(/there is no subtask 3/);
  });
});
