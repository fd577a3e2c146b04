// Checks what listeners of deltas may do while an answer streams: it is counted once, and stays with its run (V10, O1).
import { expect, it } from 'vitest';
import { createSupervisor, type Model } from '#src/index.js';
import { givenUp } from '../field/support.ts';
import { watched, within } from './support.ts';

const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };

it('a call that fails while a listener of its delta interrupts the run is counted once (V10)', async () => {
  const model: Model = {
    id: 'breaks',
    async respond(_request, call) {
      await Promise.resolve();
      call.onResponse?.(200, new Headers());
      call.onDelta({ type: 'text', text: 'half of it' });
      call.onUsage?.(usage);
      call.onBroken?.();
      throw new Error('the provider broke');
    },
  };
  const { supervisor } = watched(createSupervisor({ model, logDirectory: false, logger: false }));
  const caller = new AbortController();
  supervisor.on('model_delta', () => caller.abort());

  const { text, usage: taken } = await within(
    supervisor.delegate({ goal: 'a' }, { signal: caller.signal }),
    'the outcome',
  );

  expect(text).toBe('half of it');
  expect(taken.own).toMatchObject({ ...usage, modelCalls: 1 });
});

it('what streams of a run that a listener interrupts is no part of the next run of its agent (O1)', async () => {
  const model: Model = {
    id: 'thinks',
    async respond({ messages }, call) {
      if (messages.length > 1) {
        call.onDelta({ type: 'text', text: 'of the second' });
        return { content: [{ type: 'text', text: 'of the second' }] };
      }
      await Promise.resolve();
      call.onDelta({ type: 'thinking', text: 'hm' });
      call.onDelta({ type: 'text', text: 'of the first' });
      return givenUp(call);
    },
  };
  const { supervisor, watch } = watched(
    createSupervisor({ model, logDirectory: false, logger: false }),
  );
  const agent = await within(supervisor.spawn({ name: 'thinker' }), 'the agent');
  const caller = new AbortController();
  supervisor.on('model_delta', ({ kind }) => {
    if (kind === 'thinking') caller.abort();
  });

  const first = agent.ask('one', { timeoutMs: 60_000, signal: caller.signal });
  const second = agent.ask('two', { timeoutMs: 60_000 });
  const outcomes = await within(Promise.all([first, second]), 'the outcomes');

  expect(outcomes.map(({ status, text }) => [status, text])).toEqual([
    ['interrupted', 'of the first'],
    ['completed', 'of the second'],
  ]);
  const ids = outcomes.map(({ taskId }) => taskId);
  const streamed = watch
    .of('model_delta')
    .map(({ taskId, text }) => [ids.indexOf(taskId ?? ''), text]);
  expect(streamed).toEqual([
    [0, 'hm'],
    [0, 'of the first'],
    [1, 'of the second'],
  ]);
});
