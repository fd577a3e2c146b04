// Checks results that are too long: what the model sees, and where the rest is, for tools of every place (E10).
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#src/index.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { answered, calls, supervise, toolFixture, within } from './support.ts';

const long = 'long '.repeat(20_000);
const host = defineTool({
  name: 'host',
  description: 'Says much.',
  input: z.object({}),
  run: () => long,
});

describe('a result that is too long', () => {
  it.each([
    ['of a host tool', ['host', {}] as const],
    ['of a thread tool', ['echo', { text: long }] as const],
  ])(
    '%s is cut with its whole text in the workspace, for an agent that can read it',
    async (_case, call) => {
      const workspace = temporaryFolder();
      const { supervisor, model } = supervise(calls(call), {
        workspace,
        tools: [host, toolFixture('plain')],
      });

      await within(supervisor.delegate({ goal: 'a', toolsets: ['file'] }), 'the outcome');

      const [text] = answered(model)[0] ?? [''];
      expect(text.length).toBeLessThanOrEqual(50_000);
      const path = /the whole text is in (\.troupe\/outputs\/[\w.-]+\.txt)\]$/.exec(text)?.[1];
      expect(readFileSync(`${workspace}/${path}`, 'utf8')).toBe(long);
    },
  );

  it('is cut to the limit of its run, and kept nowhere for an agent that cannot read it (E10)', async () => {
    const workspace = temporaryFolder();
    const { supervisor, model } = supervise(calls('host'), { workspace, tools: [host] });

    await within(supervisor.delegate({ goal: 'a', maxResultChars: 1_000 }), 'the outcome');

    const [text] = answered(model)[0] ?? [''];
    expect(text.length).toBeLessThanOrEqual(1_000);
    expect(text).toMatch(/ask for a smaller part\]$/);
  });
});
