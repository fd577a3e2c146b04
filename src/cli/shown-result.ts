// Owns what `--show` prints of the results, beside the progress, as they are written.
import type { Outcome } from '../index.ts';
import { answerLines } from './answer.ts';
import { type Paint, styleOfStatus } from './paint.ts';
import { type ResultRecord, whyEnded } from './record.ts';
import type { Results } from './results-file.ts';
import type { ShowKind } from './run-options.ts';
import { labelOf } from './text.ts';

/** The lines of a result; none of one that is not asked for. Pure. */
export function shownLines(show: ShowKind, record: ResultRecord, paint: Paint): readonly string[] {
  const lines = show === 'answers' ? answerLines(record.text) : failureLines(record);
  if (lines.length === 0) return [];
  const { style, mark } = styleOfStatus(record.status);
  return [`${paint(style, mark)} ${labelOf(record.file ?? record.goal)}`, ...lines];
}

/** What was interrupted has not failed. */
function failureLines(outcome: Outcome): readonly string[] {
  const { status } = outcome;
  return status === 'failed' || status === 'timeout' ? [`  ${status}, ${whyEnded(outcome)}`] : [];
}

/** The results, each of which is shown once it is written. */
export function shownOnceWritten(results: Results, show: (record: ResultRecord) => void): Results {
  return {
    get written() {
      return results.written;
    },
    append: (record) => {
      results.append(record);
      show(record);
    },
    close: () => results.close(),
  };
}
