// Checks that what is wrong with arguments that are no options of a supervisor is told with what to write instead.
import { PlanNotebook } from '#src/dialects/agent-family/index.js';
import { ManualClock } from '#src/testing.js';
import { odd, refusesAll, type WrongInput } from './wrong-input.ts';

const code = 'invalid_options';

const rows: readonly WrongInput[] = [
  [
    'a manual clock that begins with a text',
    () => new ManualClock(odd('2026-01-01')),
    code,
    'ManualClock: startWallTime is "2026-01-01"',
    'a finite number',
  ],
  [
    'a manual clock that begins with a date',
    () => new ManualClock(odd(new Date(0))),
    code,
    'startWallTime is ',
  ],
  [
    'a move by a text',
    () => new ManualClock().advance(odd('10')),
    code,
    'ManualClock: ms is "10"',
    'from 0',
  ],
  ['a move by nothing', () => new ManualClock().advance(odd(undefined)), code, 'ms is undefined'],
  ['a move back', () => new ManualClock().advance(-1), code, 'ms is -1'],
  ['a move without end', () => new ManualClock().advance(Infinity), code, 'ms is Infinity'],
  ['a timer of no number', () => new ManualClock().after(NaN, () => {}), code, 'delayMs is NaN'],
  ['a timer that calls nothing', () => new ManualClock().after(1, odd(null)), code, 'fire is null'],
  ['a settler that is none', () => new ManualClock().settleWith(odd({})), code, 'settle is '],
  [
    'an option of a notebook',
    () => new PlanNotebook(odd({ maxSubtasks: 3 })),
    code,
    'PlanNotebook: there is no option "maxSubtasks"',
  ],
  ['a text for a notebook', () => new PlanNotebook(odd('plan')), code, 'PlanNotebook is "plan"'],
  [
    'a stored notebook that is none',
    () => new PlanNotebook().loadStateDict(odd({ plan: 5, finished: [] })),
    code,
    'plan is 5',
  ],
];

refusesAll(rows);
