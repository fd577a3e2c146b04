// Checks the offline model as an orchestrator: what it asks for, and what it makes of answers and of refusals.
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '#src/models/model.js';
import { type DelegationStep, delegationStep } from '#src/models/offline/delegation.js';
import type { ToolCallSoFar } from '#src/models/offline/run-so-far.js';
import { request } from '../support.ts';

const goal = 'Read.\n\nFiles:\n- a/1.md\n- b/2.md\n- c/3.md';

function orchestrator(tools = ['read', 'list', 'delegate_task']): ModelRequest {
  const description =
    'At most 2 tasks in one call, and in all calls of one reply: hand over more when these have ended.';
  return request({
    system: 'You are at depth 0 of 2.',
    tools: tools.map((name) => ({ name, description, inputSchema: {} })),
  });
}

function step(calls: readonly ToolCallSoFar[], asked = goal, tools?: string[]) {
  return delegationStep({ goal: asked, turns: calls.length, calls }, orchestrator(tools));
}

function goalsOf(next: DelegationStep | null): readonly string[] {
  if (next?.type !== 'delegate') throw new Error(JSON.stringify(next));
  const { tasks } = next.input as { readonly tasks: readonly { readonly goal: string }[] };
  return tasks.map((task) => task.goal.split('\n')[0] ?? '');
}

function answered(next: DelegationStep | null, text: string, isError = false): ToolCallSoFar {
  if (next?.type !== 'delegate') throw new Error(JSON.stringify(next));
  return { name: 'delegate_task', input: next.input, path: '.', text, cut: null, isError };
}

const results = (...summaries: readonly string[]) =>
  JSON.stringify({ results: summaries.map((summary) => ({ status: 'completed', summary })) });

describe('delegationStep', () => {
  it('asks for as many at a time as the tool says, with context, role and toolsets, and quotes the answers', () => {
    const first = step([]);
    const one = answered(first, results('of one', 'of two'));
    const second = step([one]);
    const two = answered(second, results('of three\nand more'));

    expect(first).toMatchObject({
      input: {
        tasks: [
          { context: expect.stringContaining('“Read.”'), role: 'leaf', toolsets: ['file'] },
          {},
        ],
      },
    });
    expect(goalsOf(first)).toEqual(['a/1.md (1 file):', 'b/2.md (1 file):']);
    expect(goalsOf(second)).toEqual(['c/3.md (1 file):']);
    expect(step([one, two])).toEqual({
      type: 'answer',
      text: [
        '3 files in 3 parts, each given to a subagent: 3 completed.',
        '## a/1.md (1 file)\n> of one',
        '## b/2.md (1 file)\n> of two',
        '## c/3.md (1 file)\n> of three\n> and more',
      ].join('\n\n'),
    });
  });

  it('heeds a lower limit that a refusal names', () => {
    const first = step([]);
    const refusal = '2 tasks in one call, the limit is 1. Nothing was started.';

    expect(goalsOf(step([answered(first, refusal, true)]))).toEqual(['a/1.md (1 file):']);
  });

  it('does the work itself when no child takes any, and says what was left when some did', () => {
    const first = step([]);
    const refused = answered(first, 'the supervisor is paused', true);
    const one = answered(first, results('of one', 'of two'));

    expect(step([refused])).toBeNull();
    expect(step([one, refused])).toMatchObject({
      type: 'answer',
      text: expect.stringMatching(
        /2 completed, 1 not started\.\n\nA call was refused: the supervisor is paused[\s\S]*## c\/3\.md \(1 file\): not started$/,
      ),
    });
  });

  it('names what failed, and what it cannot read', () => {
    const failed = { status: 'failed', error: { message: 'too slow' }, summary: '' };
    const first = answered(step([]), JSON.stringify({ results: [failed, failed] }));
    const second = answered(step([first]), '{"results": [cut');

    expect(step([first, second])).toMatchObject({
      text: expect.stringMatching(
        /## a\/1\.md \(1 file\): failed: too slow\n[\s\S]*\(1 file\): unreadable\n> \{"results": \[cut$/,
      ),
    });
  });

  it('lists folders level by level when no file is named, and leaves out data and hidden folders', () => {
    const listed = (path: string, ...names: readonly string[]): ToolCallSoFar => {
      return {
        name: 'list',
        input: { path },
        path,
        text: names.join('\n'),
        cut: null,
        isError: false,
      };
    };
    const top = listed('.', '.git/', 'a.md', 'log.jsonl', 'lib/', 'node_modules/');

    expect(step([], 'Look around.')).toEqual({ type: 'list', folders: ['.'] });
    expect(step([top], 'Look around.')).toEqual({ type: 'list', folders: ['lib/'] });
    expect(goalsOf(step([top, listed('lib/', 'b.ts')], 'Look around.'))).toEqual([
      'a.md (1 file):',
      'lib/b.ts (1 file):',
    ]);
    expect(step([listed('.', 'log.jsonl')], 'Look around.')).toMatchObject({ type: 'answer' });
  });

  it.each([
    ['without the tool', goal, ['read', 'list']],
    ['for one file', 'Read a.md', undefined],
    ['with nothing to look around with', 'Look around.', ['delegate_task']],
  ])('leaves a run to itself %s', (_why, asked, tools) => {
    expect(step([], asked, tools)).toBeNull();
  });
});
