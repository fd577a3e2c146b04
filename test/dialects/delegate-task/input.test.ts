// Checks what arguments of `delegate_task` mean, as models send them, and which are refused by name.
import { describe, expect, it } from 'vitest';
import { delegateInput } from '#src/dialects/delegate-task/input.js';

const read = async (value: unknown) => delegateInput['~standard'].validate(value);
const nothing = {
  context: undefined,
  toolsets: undefined,
  maxIterations: undefined,
  role: undefined,
};

describe('the arguments of delegate_task', () => {
  it('are goal, context, toolsets, max_iterations, role, and tasks of the same (C1, C2)', () => {
    const schema = delegateInput['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });

    expect(schema).toMatchObject({
      type: 'object',
      properties: {
        goal: { type: 'string' },
        context: { type: 'string' },
        toolsets: { type: 'array', items: { type: 'string' } },
        max_iterations: { type: 'integer' },
        role: { enum: ['leaf', 'orchestrator'] },
        tasks: {
          type: 'array',
          items: {
            required: ['goal'],
            properties: { goal: {}, context: {}, toolsets: {}, role: {} },
          },
        },
      },
    });
  });

  it.each([
    [{ goal: 'a' }, [{ ...nothing, goal: 'a' }]],
    [{ goal: 'a', tasks: null, role: null, context: null }, [{ ...nothing, goal: 'a' }]],
    [{ goal: 'a', tasks: [] }, [{ ...nothing, goal: 'a' }]],
    [{ goal: 'a', toolsets: [] }, [{ ...nothing, goal: 'a', toolsets: [] }]],
    [{ goal: 'a', toolsets: '["file"]' }, [{ ...nothing, goal: 'a', toolsets: ['file'] }]],
    [{ goal: 'a', role: 7 }, [{ ...nothing, goal: 'a', role: '7' }]],
    [{ goal: 'a', role: ' Orchestrator\n' }, [{ ...nothing, goal: 'a', role: 'orchestrator' }]],
    [{ goal: 'a', role: ' ' }, [{ ...nothing, goal: 'a' }]],
    [{ tasks: '[{"goal":"a"}]' }, [{ ...nothing, goal: 'a' }]],
    [{ tasks: ['{"goal":"a"}'] }, [{ ...nothing, goal: 'a' }]],
    [
      {
        context: 'for all',
        toolsets: ['file'],
        role: 'orchestrator',
        max_iterations: 9,
        tasks: [{ goal: 'a' }, { goal: 'b', context: 'own', toolsets: ['web'], role: 'leaf' }],
      },
      [
        {
          goal: 'a',
          context: 'for all',
          toolsets: ['file'],
          role: 'orchestrator',
          maxIterations: 9,
        },
        { goal: 'b', context: 'own', toolsets: ['web'], role: 'leaf', maxIterations: 9 },
      ],
    ],
  ])('reads %j (C2)', async (value, expected) => {
    expect(await read(value)).toEqual({ value: expected });
  });

  it.each([
    [{}, 'goal'],
    [{ goal: '  ' }, 'goal'],
    [{ goal: null }, 'goal'],
    [{ tasks: [] }, 'tasks'],
    [{ tasks: 'all of it' }, 'tasks'],
    [{ tasks: { goal: 'a' } }, 'tasks'],
    [{ tasks: [{ goal: 'a' }, null] }, 'tasks.1'],
    [{ tasks: ['do it'] }, 'tasks.0'],
    [{ tasks: [{ goal: null }] }, 'tasks.0.goal'],
    [{ goal: 'a', toolsets: 'file' }, 'toolsets'],
    [{ goal: 'a', toolsets: [null] }, 'toolsets.0'],
    [{ goal: 'a', context: {} }, 'context'],
    [{ goal: 'a', max_iterations: 0 }, 'max_iterations'],
    [{ goal: 'a', max_iterations: 'many' }, 'max_iterations'],
  ])('refuses %j, naming %s (C2)', async (value, path) => {
    const { issues } = await read(value);

    expect(issues?.map((issue) => issue.path?.join('.'))).toContain(path);
    expect(issues?.[0]?.message).toMatch(/expected/);
  });
});
