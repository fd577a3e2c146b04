// Checks runs that are interrupted before their message comes, as their thread sees them: no model, no loss (S5, S8).
import { describe, expect, it } from 'vitest';
import type { Self } from '#src/actor/behavior.js';
import { agentBehavior } from '#src/agent/agent-behavior.js';
import type { WorkerEnvironment } from '#src/agent/worker-environment.js';
import type { AgentArgs } from '#src/protocol/agent-args.js';
import type { Message } from '#src/protocol/history.js';
import type { RunEvent } from '#src/protocol/run-events.js';
import type { ResumePoint } from '#src/protocol/saved-run.js';
import { resumeAt } from '../support/saved-state.ts';
import { neverDetached, neverLeaves } from '../support/staying.ts';

const prompt: Message = { role: 'user', content: [{ type: 'text', text: 'a' }] };
const request = { type: 'run', runId: 't1', messages: [prompt] } as const;
const call = { type: 'tool_use', id: 'c1', name: 'delegate', input: {} } as const;
const result = { type: 'tool_result', tool_use_id: 'c1', content: 'kept' } as const;

/** Withdraws a run, then hands it over; its notes and what the next run remembers. */
async function withdrawn(own: { memory: readonly Message[]; resume?: ResumePoint }) {
  const events: RunEvent[] = [];
  const around = {
    loadedOf: () => ({ tools: new Map(), hooks: new Map() }),
    ...neverLeaves,
    model: { ...neverDetached, request: () => Promise.reject(new Error('nobody is asked')) },
  };
  // Only what a withdrawn run reaches for is there.
  const self = {
    signal: new AbortController().signal,
    interrupted: () => false,
    publish: (event: RunEvent) => events.push(event),
    flush: () => {},
  } as unknown as Self;
  const spec = { tools: [], toolSettings: {}, maxTurns: 5 };
  const args = { agent: {}, endsWithRun: false, spec, ...own } as unknown as AgentArgs;
  const behavior = agentBehavior(around as unknown as WorkerEnvironment);
  const state = await behavior.start(args, self);
  behavior.control?.({ type: 'cancel', runId: 't1', reason: 'enough' }, self);
  const followed = await behavior.receive(state, request, self);
  return { events, memory: followed.type === 'next' ? followed.state.memory : [] };
}

const end = {
  exitReason: 'interrupted',
  text: '',
  error: { code: 'interrupted', message: 'enough' },
};

describe('a run that is withdrawn', () => {
  it('before it begins ends without a turn, and its prompt is remembered (S8)', async () => {
    const { events, memory } = await withdrawn({ memory: [] });

    expect(events).toMatchObject([{ type: 'run_ended', runId: 't1', end }]);
    expect(memory).toEqual([prompt]);
  });

  it('before it continues ends, though its thread left nothing that it waited for (W3, S8)', async () => {
    const asked: Message = { role: 'assistant', content: [call] };
    const resume = resumeAt('t1', [{ step: 'waiting', isNoticed: false, block: null }]);

    const { events } = await withdrawn({ memory: [prompt, asked], resume });

    expect(events.map(({ type }) => type)).toEqual(['tool_completed', 'tool_results', 'run_ended']);
    expect(events.at(-1)).toMatchObject({ end });
  });

  it('before it continues keeps the answers of its turn and asks nothing more (S5, S8)', async () => {
    const asked: Message = { role: 'assistant', content: [call] };
    const kept = { content: 'kept', isError: false };
    const answer = { type: 'tool_ended', place: 0, result: kept } as const;
    const running = { step: 'running', isNoticed: false, input: {}, block: null } as const;
    const resume = resumeAt('t1', [running], [answer]);

    const { events, memory } = await withdrawn({ memory: [prompt, asked], resume });

    const answers: Message = { role: 'user', content: [result] };
    expect(events).toMatchObject([
      { type: 'tool_completed', callId: 'c1', name: 'delegate', isError: false },
      { type: 'tool_results', turn: 1, message: answers },
      { type: 'run_ended', runId: 't1', end },
    ]);
    expect(memory).toEqual([prompt, asked, answers]);
  });
});
