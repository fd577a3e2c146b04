// Checks that the tools of a session's own loop ask a person where the supervisor or the tool requires it.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ApprovalRequest, defineTool, type SupervisorOptions } from '#src/index.js';
import { gate, supervise, superviseInManualTime, turns, within } from '../supervisor/support.ts';

const greet = defineTool({
  name: 'greet',
  description: 'Greets.',
  input: z.object({ name: z.string().default('you') }),
  tags: ['greeting'],
  run: ({ name }) => `hello ${name}`,
});

/** A supervisor whose person gives each question this answer, and what was asked. */
function asking(options: Partial<SupervisorOptions>, answer = true) {
  const asked: ApprovalRequest[] = [];
  const approve = (request: ApprovalRequest): boolean => {
    asked.push(request);
    return answer;
  };
  return { ...supervise({ default: [] }, { approve, ...options }), asked };
}

describe('the tools of a session', () => {
  it.each([true, false])('ask when its own loop calls them (answer %j; V11)', async (answer) => {
    const { supervisor, watch, asked } = asking(
      { approval: { require: ['tag:greeting'] } },
      answer,
    );
    const toolbox = supervisor.session('chat').tools([greet]);

    const result = await within(toolbox.call('greet', { name: 'Bo' }), 'the result');

    expect(asked).toMatchObject([
      {
        tool: 'greet',
        input: { name: 'Bo' },
        agent: { id: '', name: 'chat', path: '/' },
        taskId: '',
        requiredBy: [{ by: 'supervisor', pattern: 'tag:greeting' }],
      },
    ]);
    expect(watch.of('approval_requested')).toMatchObject([{ name: 'greet', sessionId: 'chat' }]);
    expect(result).toMatchObject({
      content: answer ? 'hello Bo' : expect.stringContaining('it was denied'),
    });
  });

  it('ask for what the tool itself declares, and are denied where there is no one to ask', async () => {
    const careful = defineTool({ ...greet, name: 'careful', needsApproval: true });
    const { supervisor, asked } = asking({});
    const alone = supervise({ default: [] });

    const toolbox = supervisor.session('chat').tools(careful);
    expect((await within(toolbox.call('careful', {}), 'it')).content).toBe('hello you');
    expect(asked.map(({ requiredBy }) => requiredBy)).toEqual([[{ by: 'tool' }]]);
    const denied = alone.supervisor.session('chat').tools(careful).call('careful', {});
    expect((await within(denied, 'it')).content).toContain('the service has no approve option');
  });
});

it('a question of a session’s tool is denied when the supervisor closes, and none is asked after that', async () => {
  let asked: ApprovalRequest | null = null;
  const { supervisor, watch } = supervise(
    { default: [] },
    {
      approval: { require: ['tag:greeting'] },
      approve: (request) => {
        asked = request;
        return new Promise(() => {});
      },
    },
  );
  const toolbox = supervisor.session('chat').tools(greet);
  const open = toolbox.call('greet', {});
  await watch.next('approval_requested');

  await within(supervisor.close(), 'the end');

  const denied = { isError: true, content: expect.stringContaining('the supervisor was closed') };
  expect(await within(open, 'the result')).toMatchObject(denied);
  expect(asked).toMatchObject({ signal: { aborted: true } });
  asked = null;
  expect(await within(toolbox.call('greet', {}), 'a later result')).toMatchObject(denied);
  expect(asked).toBeNull();
});

it('a person’s time is no time of a session’s tool', async () => {
  const answer = gate<boolean>();
  const slow = defineTool({
    ...greet,
    name: 'slow',
    timeoutMs: 500,
    needsApproval: true,
    run: () => new Promise(() => {}),
  });
  const { supervisor, watch, clock } = superviseInManualTime(
    { default: [] },
    { approve: () => answer.opened },
  );
  const result = supervisor.session('chat').tools(slow).call('slow', {});
  await watch.next('approval_requested');

  await clock.advance(400_000);
  answer.open(true);
  await turns();
  await clock.advance(500);

  expect((await within(result, 'the result')).content).toBe('the tool took longer than 500 ms');
});
