// Owns how a table of wrong input is run: each row is refused with its code, and says what, where and what to do.
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createSupervisor, defineTool, type Supervisor } from '#src/index.js';
import { scripted } from '#src/testing.js';
import { within } from '../supervisor/support.ts';

/** What a row may use: a supervisor with a tool and two agents, and one that is closed. */
export type Ground = { readonly open: Supervisor; readonly closed: Supervisor };

export type WrongInput = readonly [
  what: string,
  act: (ground: Ground) => unknown,
  code: string,
  ...expected: readonly string[],
];

/** A value from outside of the types. */
export function odd<Type>(value: unknown): Type {
  return value as Type;
}

export const model = scripted({ default: [{ text: 'done', repeat: true }] });

export function echo(more: object = {}) {
  return defineTool({
    name: 'echo',
    description: 'Says it again.',
    input: z.object({}),
    run: () => 'again',
    ...more,
  });
}

/** Words of a schema library, of the engine, or of nobody: none of them helps. */
const useless =
  /Invalid input|Invalid option|Too small|Too big|\[object |is not a function|Cannot (read|destructure)/;

/** Runs each row, and checks that nothing was asked of the model. */
export function refusesAll(rows: readonly WrongInput[]): void {
  const ground = {
    open: createSupervisor({
      model,
      tools: [echo()],
      agents: [{ name: 'clerk' }, { name: 'reviewer' }],
    }),
    closed: createSupervisor({ model }),
  };
  const closing = ground.closed.close();
  afterAll(() => ground.open.close());

  // As objects: a row that is a tuple of open length has no parameters of its own.
  const named = rows.map(([what, act, code, ...expected]) => ({ what, act, code, expected }));
  it.each(named)('refuses $what', async ({ act, code, expected }) => {
    await closing;

    const error = await within(
      refusalOf(() => act(ground)),
      'the refusal',
    );

    expect(error).toMatchObject({ name: 'TroupeError', code });
    const { message } = error as Error;
    for (const part of expected) expect(message).toContain(part);
    expect(message).not.toMatch(useless);
    expect(message.length).toBeLessThan(1_500);
    expect(model.requests()).toEqual([]);
  });
}

async function refusalOf(act: () => unknown): Promise<unknown> {
  try {
    await act();
  } catch (error) {
    return error;
  }
  throw new Error('expected it to be refused');
}
