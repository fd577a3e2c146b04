// Checks subagents that are registered at once: names and the order of tools do not depend on who is well first.
import { describe, expect, it } from 'vitest';
import { rejection } from '../../../supervisor/support.ts';
import { arrange, scout, spec } from '../subagent-support.ts';

const done = { text: 'done' };

describe('registrations at once', () => {
  it('has one tool of a name, and tools in the order they were registered, whoever is well first (D29)', async () => {
    const { registry } = arrange({ default: [done] });
    let answer = (_isWell: boolean): void => {};
    const slow = {
      ...spec('slow'),
      healthcheck: () =>
        new Promise<boolean>((resolve) => {
          answer = resolve;
        }),
    };

    const first = registry.register(scout(), slow);
    const second = registry.register(scout(), spec('quick'), { toolName: 'invoke_slow' });
    expect(await rejection(second)).toMatchObject({ code: 'invalid_tool' });
    expect(await registry.register(scout(), spec('next'))).toBe(true);
    expect(registry.tools.map(({ name }) => name)).toEqual(['invoke_next']);
    answer(true);

    expect(await first).toBe(true);
    expect(registry.tools.map(({ name }) => name)).toEqual(['invoke_slow', 'invoke_next']);
  });
});
