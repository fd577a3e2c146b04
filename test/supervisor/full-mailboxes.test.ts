// Checks what becomes of runs when the mailboxes of a system hold together what they may (M5).
import { expect, it } from 'vitest';
import { Supervisor } from '#src/supervisor/supervisor.js';
import { scripted } from '#src/testing.js';
import { watched, within } from './support.ts';

/** A supervisor whose mailboxes hold so little together that one long goal is too much. */
function tight() {
  const model = scripted({ default: [{ text: 'done', repeat: true }] });
  const options = {
    model,
    agents: [{ name: 'clerk' }],
    logDirectory: false,
    logger: false,
  } as const;
  return { ...watched(new Supervisor(options, { maxTotalBytes: 20_000 })), model };
}

const long = { goal: 'x'.repeat(20_000) };
const noSpace = {
  status: 'failed',
  exitReason: 'rejected',
  error: { code: 'mailbox_full', retryable: true, message: expect.stringContaining('again') },
};

it('a run without room in all mailboxes together ends at once, and those that fit go on (M5)', async () => {
  const { supervisor, model } = tight();

  const tasks = [long, { goal: 'a' }];
  const outcomes = await within(supervisor.delegate(tasks), 'the outcomes');

  expect(outcomes).toMatchObject([noSpace, { status: 'completed' }]);
  expect(model.requests()).toHaveLength(1);
});

it('a run of a spawned agent without room ends at once, and the agent takes the next (M5)', async () => {
  const { supervisor, model } = tight();
  const agent = await within(supervisor.spawn('clerk'), 'the agent');

  const asks = [long.goal, 'a'].map((goal) => agent.ask(goal, { timeoutMs: 60_000 }));
  const [refused, next] = await within(Promise.allSettled(asks), 'the answers');

  expect(refused).toMatchObject({ status: 'fulfilled', value: noSpace });
  expect(next).toMatchObject({ status: 'fulfilled', value: { status: 'completed' } });
  expect(model.requests()).toHaveLength(1);
});
