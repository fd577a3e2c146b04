// Checks what a crash costs: one run, with everything it had; its siblings and the next task lose nothing (V1, S9, O2).
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pairingFault } from '#src/agent/history-repair.js';
import { calls, inShort, supervise, toolFixture, within } from './support.ts';

const stubborn = { tools: [toolFixture('stubborn')] };

describe('a crash of the thread', () => {
  it.each([
    ['process.exit', 'exit', 'thread_exited', {}],
    ['an unhandled rejection', 'reject', 'crashed', {}],
    ['a heap that is full', 'grow', 'out_of_memory', { profile: { maxHeapMb: 24 } }],
  ] as const)(
    'by %s ends one run and keeps what it had (V1, O2)',
    async (_how, name, code, threads) => {
      const { supervisor, watch } = supervise(
        {
          default: [
            { text: 'first', toolCalls: [{ name: 'echo', input: { text: 'a' } }] },
            { text: 'second', toolCalls: [{ name, input: {} }] },
          ],
          agents: { good: [{ text: 'good' }] },
        },
        { ...stubborn, threads, agents: [{ name: 'good' }] },
      );

      const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

      expect(inShort(outcome)).toEqual(['crashed', code, 'second']);
      expect(outcome).toMatchObject({
        status: 'failed',
        turns: 2,
        partial: {
          text: 'second',
          phase: 'in_tool',
          toolTrace: [
            { name: 'echo', status: 'completed' },
            { name, status: 'running' },
          ],
        },
        usage: { own: { modelCalls: 2 } },
      });
      expect(watch.of('agent_stopped')).toMatchObject([{ failure: { code } }]);
      expect(pairingFault(supervisor.transcript(outcome.taskId))).toBeNull();
      const next = await within(supervisor.delegate({ goal: 'b', agent: 'good' }), 'the next');
      expect(inShort(next)).toEqual(['goal', undefined, 'good']);
    },
  );

  it('of a parent ends its children (V5)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-crash-'));
    const file = join(folder, 'now');
    const { supervisor, watch } = supervise(
      {
        default: [
          {
            toolCalls: [
              { name: 'hand_over', input: { agent: 'slow' } },
              { name: 'exit_when', input: { file } },
            ],
          },
        ],
        agents: { slow: [{ hang: true }] },
      },
      { tools: [toolFixture('family')], agents: [{ name: 'slow' }] },
    );

    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started', ({ depth }) => depth === 1);
    await writeFile(file, '');
    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome.exitReason).toBe('crashed');
    const [child] = watch.of('task_completed');
    expect(child?.outcome).toMatchObject({ status: 'interrupted', agent: { depth: 1 } });
    await rm(folder, { recursive: true });
  });

  it('of many at once is an outcome each, and the supervisor goes on (V1)', async () => {
    const { supervisor } = supervise(
      { ...calls('exit'), agents: { good: [{ text: 'good' }] } },
      { ...stubborn, agents: [{ name: 'good' }], limits: { maxLiveAgents: 4 } },
    );
    const tasks = Array.from({ length: 12 }, (_, at) =>
      at % 2 === 0 ? { goal: 'crash' } : { goal: 'go', agent: 'good' },
    );

    const outcomes = await within(supervisor.delegate(tasks), 'the outcomes');

    expect(outcomes.map(({ exitReason }) => exitReason)).toEqual(
      tasks.map(({ goal }) => (goal === 'crash' ? 'crashed' : 'goal')),
    );
  });
});
