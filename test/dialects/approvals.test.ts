// Checks that the supervisor's one way to ask a person is that of every dialect: `approve: () => true` lets all of them on.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { type ApprovalRequest, defineTool } from '#src/index.js';
import { within } from '../supervisor/support.ts';
import { dialectTools } from '../support/dialect-tools.ts';
import { directing } from '../support/directed.ts';
import { arrange, run } from './scope/support.ts';
import { rig } from './subagent-manager/rig.ts';

const deploy = defineTool({
  name: 'deploy',
  description: 'Deploys.',
  input: z.object({}),
  needsApproval: true,
  run: () => 'deployed',
});
const parts = { first: [{ calls: [['deploy', {}] as const] }, { text: 'all done' }] };

/** What `approve: () => true` was asked for. */
function yes() {
  const asked: string[] = [];
  const approve = ({ tool }: ApprovalRequest): boolean => asked.push(tool) > 0;
  return { asked, approve };
}

it.each([
  ['agent', 'Agent', (prompt: string) => ({ description: 'a task', prompt })],
  ['task', 'task', (prompt: string) => ({ prompt })],
  ['delegate-task', 'delegate_task', (goal: string) => ({ goal })],
] as const)(
  'lets a tool of a session run, and one of its child (%s)',
  async (dialect, tool, inputOf) => {
    const { asked, approve } = yes();
    const { supervisor, watch } = directing(parts, {
      tools: [deploy],
      approve,
      approval: { require: ['tag:delegation'] },
    });
    const tools = supervisor.session('chat').tools(dialectTools(dialect));

    const result = await within(tools.call(tool, inputOf('first')), 'the result');

    expect(result).toMatchObject({ isError: false, content: expect.stringContaining('all done') });
    expect(asked).toEqual([tool, 'deploy']);
    expect(watch.of('tool_completed')).toMatchObject([{ name: 'deploy', isError: false }]);
  },
);

it('lets the tool of a subagent run that was made by name', async () => {
  const { asked, approve } = yes();
  const { watch, create, hand } = rig(parts, { supervisor: { tools: [deploy], approve } });
  await create('ada', { tools: ['deploy'] });

  await hand('ada', 'first');

  expect(asked).toEqual(['deploy']);
  expect(watch.of('tool_completed')).toMatchObject([{ name: 'deploy', isError: false }]);
});

it('lets the tool of a scope run, which is refused where there is no one to ask', async () => {
  const { asked, approve } = yes();
  const steps = [{ toolCalls: [{ name: 'deploy', input: {} }] }, { text: 'all done' }];
  const { create, watch } = arrange(steps, { tools: [deploy], approve });

  const scope = await create({ tools: { tools: ['deploy'] } });
  await run(scope);

  expect(scope.output.terminate_reason).toBe('GOAL');
  expect(asked).toEqual(['deploy']);
  expect(watch.of('tool_completed')).toMatchObject([{ name: 'deploy', isError: false }]);
});
