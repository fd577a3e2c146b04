// Proves that a run asks its model nothing once the shared word says that it is interrupted, wherever between two awaits it is.
import { describe, expect, it } from 'vitest';
import type { Self } from '#src/actor/behavior.js';
import { AgentRun } from '#src/agent/agent-run.js';
import type { Hooks } from '#src/agent/hooks.js';
import { RunControl } from '#src/agent/run-control.js';
import type { ModelAnswer, WorkerEnvironment } from '#src/agent/worker-environment.js';
import { TroupeError } from '#src/base/failures.js';
import type { AgentArgs } from '#src/protocol/agent-args.js';
import type { Message } from '#src/protocol/history.js';
import type { RunEvent } from '#src/protocol/run-events.js';

const ask = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const answer: ModelAnswer = {
  response: {
    content: [{ type: 'text', text: 'done' }],
    stopReason: 'end_turn',
    usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
    isEstimated: true,
    model: 'm',
  },
  costUsd: 0,
};

/** A run in a thread that has read the word and not yet the message that aborts its signal. */
function running(hooks: Hooks, respond: () => Promise<ModelAnswer>) {
  const events: RunEvent[] = [];
  const thread = { isInterrupted: false, requests: 0 };
  const self = {
    signal: new AbortController().signal,
    interrupted: () => thread.isInterrupted,
    publish: (event: RunEvent) => events.push(event),
    flush: () => {},
  };
  const around = {
    model: {
      request: () => {
        thread.requests += 1;
        return respond();
      },
    },
    runCode: <T>(work: () => Promise<T>) => work(),
    abandoned: () => {},
  };
  const names = Object.keys(hooks);
  const spec = { tools: [], toolSettings: {}, maxTurns: 5, hooks: [{ names, module: 'm' }] };
  const steering = new RunControl();
  // Only what a run reaches for is there.
  const run = new AgentRun({
    args: { agent: {}, spec } as unknown as AgentArgs,
    loaded: { tools: new Map(), hooks: new Map([['m', hooks]]) },
    memory: [ask('a'), { role: 'assistant', content: [{ type: 'text', text: 'b'.repeat(9_000) }] }],
    request: { type: 'run', runId: 't1', messages: [ask('c')] },
    around: around as unknown as WorkerEnvironment,
    self: self as unknown as Self,
    steering,
  });
  steering.begin('t1');
  return { run, thread, events };
}

describe('a run that is interrupted', () => {
  it('while a hook before its turn runs asks its model nothing (S2, S8)', async () => {
    const { run, thread } = running(
      {
        beforeTurn: () => {
          thread.isInterrupted = true;
        },
      },
      async () => answer,
    );

    const end = await run.toEnd();

    expect(end).toMatchObject({ exitReason: 'interrupted', error: { code: 'interrupted' } });
    expect(thread.requests).toBe(0);
  });

  it('while its model refuses a conversation that is too long does not ask again (S2, S8)', async () => {
    const { run, thread, events } = running({}, async () => {
      thread.isInterrupted = true;
      throw new TroupeError('context_window_exceeded', 'too long');
    });

    const end = await run.toEnd();

    expect(end).toMatchObject({ exitReason: 'interrupted', error: { code: 'interrupted' } });
    expect(thread.requests).toBe(1);
    expect(events.filter(({ type }) => type === 'shortened')).toEqual([]);
  });
});
