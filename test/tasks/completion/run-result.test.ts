// Checks how an outcome is settled: every combination of the run's own end, the supervisor's cause and the actor's exit.
import { describe, expect, it } from 'vitest';
import type { Exit, ExitReason } from '#src/actor/exit.js';
import { failure } from '#src/base/failures.js';
import { type OutcomeExitReason, outcomeExitReasons } from '#src/base/outcome.js';
import type { RunEnd } from '#src/protocol/run-end.js';
import { type RunResult, runResultOf } from '#src/tasks/completion/run-result.js';
import type { EndCause } from '#src/tasks/end-cause.js';

const exitReasons = [
  'normal',
  'interrupted',
  'stopped',
  'killed',
  'crashed',
  'out_of_memory',
  'spawn_failed',
  'parent_exit',
  'restart_intensity',
  'unresponsive',
] as const satisfies readonly ExitReason[];

const ends: readonly (RunEnd | null)[] = [
  null,
  ...outcomeExitReasons.map((exitReason) => ({ exitReason, text: `said ${exitReason}` })),
];

const causes: readonly (EndCause | null)[] = [
  null,
  cause('interrupted'),
  cause('idle_timeout'),
  cause('total_timeout'),
  cause('crashed'),
  cause('error'),
];

function cause(exitReason: OutcomeExitReason): EndCause {
  return { exitReason, error: failure('internal', `cause ${exitReason}`), phase: 'in_tool' };
}

const ofExit: Readonly<Record<(typeof exitReasons)[number], OutcomeExitReason>> = {
  normal: 'error',
  interrupted: 'interrupted',
  stopped: 'interrupted',
  killed: 'killed',
  crashed: 'crashed',
  out_of_memory: 'crashed',
  spawn_failed: 'crashed',
  parent_exit: 'interrupted',
  restart_intensity: 'interrupted',
  unresponsive: 'killed',
};

function resultOf(end: RunEnd | null, why: EndCause | null, exit: Exit): RunResult {
  return runResultOf({ end, cause: why, exit, text: 'streamed' });
}

describe('settle', () => {
  it('believes a run that says how it ended, whatever happened afterwards (S9)', () => {
    for (const end of ends) {
      if (end === null || end.exitReason === 'interrupted') continue;
      for (const why of causes) {
        for (const reason of exitReasons) {
          const settlement = resultOf(end, why, { reason });

          expect([end, why, reason, settlement.exitReason]).toEqual([
            end,
            why,
            reason,
            end.exitReason,
          ]);
          expect(settlement.text).toBe(end.text);
        }
      }
    }
  });

  it('lets the cause say why a run was interrupted, also when the ladder had to kill (V8)', () => {
    for (const why of causes) {
      if (why === null || why.exitReason === 'interrupted') continue;
      for (const end of [null, interruptedEnd('said')]) {
        for (const reason of exitReasons) {
          expect(resultOf(end, why, { reason })).toEqual({
            exitReason: why.exitReason,
            text: end === null ? 'streamed' : 'said',
            error: why.error,
          });
        }
      }
    }
  });

  it.each([
    ['its own word', interruptedEnd('said'), 'killed', 'interrupted'],
    ['no word and a kill', null, 'killed', 'killed'],
    ['no word and a stop', null, 'stopped', 'interrupted'],
    ['no word and a crash on the way', null, 'crashed', 'interrupted'],
  ] as const)('settles an interrupt with %s (S3)', (_how, end, reason, exitReason) => {
    expect(resultOf(end, cause('interrupted'), { reason }).exitReason).toBe(exitReason);
  });

  it.each(exitReasons)(
    'reads exit %s when neither the run nor the supervisor gave a reason (V4)',
    (reason) => {
      const settlement = resultOf(null, null, { reason });

      expect(settlement).toMatchObject({ exitReason: ofExit[reason], text: 'streamed' });
      expect(settlement.error?.message).not.toBe('');
    },
  );

  it('passes on what the exit failed with (V1)', () => {
    const lost = failure('out_of_memory', 'the thread ran out of memory');

    expect(resultOf(null, null, { reason: 'out_of_memory', failure: lost }).error).toBe(lost);
  });

  it('takes an interrupt without a cause for what the run says it is (S5)', () => {
    const error = failure('interrupted', 'its caller left');
    const end: RunEnd = { exitReason: 'interrupted', text: '', error };

    expect(resultOf(end, null, { reason: 'normal' })).toEqual({
      exitReason: 'interrupted',
      text: 'streamed',
      error,
    });
    expect(resultOf(interruptedEnd(''), null, { reason: 'normal' }).error?.code).toBe(
      'interrupted',
    );
  });

  it('leaves no combination without an outcome, and no failure without an error (V4)', () => {
    for (const end of ends) {
      for (const why of causes) {
        for (const reason of exitReasons) {
          const { exitReason, error } = resultOf(end, why, { reason });

          expect(outcomeExitReasons).toContain(exitReason);
          if (end === null) expect(error).toBeDefined();
        }
      }
    }
  });
});

function interruptedEnd(text: string): RunEnd {
  return { exitReason: 'interrupted', text };
}
