// Checks what of an interrupted run still comes to the host: nothing is begun for it (S4).
import { expect, it } from 'vitest';
import type { ApprovalRequest } from '#src/index.js';
import { calls, supervise, toolFixture, within } from './support.ts';

it('asks no person whether a tool may run whose run was interrupted before its question came (S4)', async () => {
  const asked: ApprovalRequest[] = [];
  let isAskedFor = true;
  const { supervisor, watch } = supervise(calls('always'), {
    tools: [toolFixture('careful')],
    approve: (request) => {
      asked.push(request);
      return isAskedFor ? 'approve' : new Promise(() => {});
    },
  });
  // From its second run on, a thread asks in the same breath in which it says that the tool has started.
  await within(supervisor.delegate({ goal: 'a' }), 'the first outcome');
  isAskedFor = false;
  const handle = supervisor.start({ goal: 'b' });
  const ended = new Promise<void>((resolve) => {
    supervisor.on('tool_started', () => resolve(handle.interrupt().then(() => {})));
  });

  await within(ended, 'the receipts');
  const outcome = await within(handle.result(), 'the outcome');

  expect(outcome).toMatchObject({ status: 'interrupted' });
  expect(asked).toHaveLength(1);
  expect(watch.of('approval_requested')).toHaveLength(1);
});
