// Owns the table at the end of a job: which rows are worth showing, and their layout. Pure.
import { type Paint, styleOfStatus } from './paint.ts';
import type { ResultRow } from './record.ts';
import { clip, clipStart, pad, widthOf } from './text.ts';
import { formatCount, formatMs, formatWhole } from './units.ts';

/** The rows to show, failures first, then the slowest, and how many were left out. */
export type ShownRows = { readonly rows: readonly ResultRow[]; readonly hidden: number };

export const noRows: ShownRows = { rows: [], hidden: 0 };

const maxRows = 20;

/** The table with one more result; keeps `maxRows` rows whatever the length of the job. */
export function rank(shown: ShownRows, row: ResultRow): ShownRows {
  const at = shown.rows.findIndex((other) => isBefore(row, other));
  const index = at === -1 ? shown.rows.length : at;
  const rows = shown.rows.toSpliced(index, 0, row);
  return rows.length <= maxRows
    ? { ...shown, rows }
    : { rows: rows.slice(0, maxRows), hidden: shown.hidden + 1 };
}

const severity = { failed: 0, timeout: 1, interrupted: 2, completed: 3 } as const;

function isBefore(a: ResultRow, b: ResultRow): boolean {
  const order = severity[a.status] - severity[b.status];
  return order < 0 || (order === 0 && a.durationMs > b.durationMs);
}

type Column = {
  readonly title: string;
  readonly align: 'left' | 'right';
  text(row: ResultRow): string;
};

const figures: readonly Column[] = [
  { title: 'turns', align: 'right', text: ({ turns }) => String(turns) },
  { title: 'tools', align: 'right', text: ({ toolCalls }) => String(toolCalls) },
  { title: 'tokens', align: 'right', text: ({ tokens }) => formatCount(tokens) },
  { title: 'time', align: 'right', text: ({ durationMs }) => formatMs(durationMs) },
];
const statusColumn: Column = { title: 'status', align: 'left', text: ({ status }) => status };

const gap = '  ';
const narrowestLabel = 16;

/** The lines of the table, none wider than `width`. */
export function tableLines(shown: ShownRows, width: number, paint: Paint): readonly string[] {
  const { rows, hidden } = shown;
  if (rows.length === 0) return [];
  const columns = [statusColumn, ...figures];
  const widths = columns.map(({ title, text }) => widest([title, ...rows.map(text)]));
  const fixed = widths.reduce((sum, each) => sum + each + gap.length, 2);
  const remarks = widest(rows.map(({ remark }) => remark));
  const labels = widest(['task', ...rows.map(({ label }) => label)]);
  // Remarks get what the labels leave; labels get at least half of what there is.
  const available = Math.max(narrowestLabel, width - fixed);
  const wanted =
    remarks === 0
      ? available
      : Math.max(available - remarks - gap.length, Math.ceil(available / 2));
  const labelWidth = Math.min(labels, Math.max(narrowestLabel, wanted));
  const remarkWidth = available - labelWidth - gap.length;

  const figuresOf = (text: (column: Column) => string): string =>
    columns.map((column, index) => pad(text(column), widths[index] ?? 0, column.align)).join(gap);
  const head = `  ${pad('task', labelWidth)}${gap}${figuresOf(({ title }) => title)}`;
  return [
    paint('dim', clip(head, width)),
    ...rows.map((row) => {
      const { style, mark } = styleOfStatus(row.status);
      const label = pad(clipStart(row.label, labelWidth), labelWidth);
      const line = clip(`${label}${gap}${figuresOf(({ text }) => text(row))}`, width - 2);
      const remark = remarkWidth > 0 ? clip(row.remark, remarkWidth) : '';
      return `${paint(style, mark)} ${line}${remark === '' ? '' : gap + paint('dim', remark)}`;
    }),
    ...(hidden > 0 ? [paint('dim', `  and ${formatWhole(hidden)} more`)] : []),
  ];
}

function widest(texts: readonly string[]): number {
  return texts.reduce((max, text) => Math.max(max, widthOf(text)), 0);
}
