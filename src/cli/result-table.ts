// Owns the table at the end of a job: which rows are worth showing, and their layout. Pure.
import { joinCells, layOut, shareRoom, widest } from './columns.ts';
import { type Paint, styleOfStatus } from './paint.ts';
import type { ResultRow } from './record.ts';
import { clip, clipStart, pad } from './text.ts';
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

type TableColumn = {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** Left out where the terminal is narrow. */
  readonly isDetail: boolean;
  text(row: ResultRow): string;
};

const columns: readonly TableColumn[] = [
  { title: 'status', align: 'left', isDetail: false, text: ({ status }) => status },
  { title: 'turns', align: 'right', isDetail: true, text: ({ turns }) => String(turns) },
  { title: 'tools', align: 'right', isDetail: true, text: ({ toolCalls }) => String(toolCalls) },
  { title: 'tokens', align: 'right', isDetail: true, text: ({ tokens }) => formatCount(tokens) },
  {
    title: 'time',
    align: 'right',
    isDetail: false,
    text: ({ durationMs }) => formatMs(durationMs),
  },
];

const narrowestLabel = 16;

/** The lines of the table, none wider than `width`, from 19 columns on. */
export function tableLines(shown: ShownRows, width: number, paint: Paint): readonly string[] {
  const { rows, hidden } = shown;
  if (rows.length === 0) return [];
  const widths = columns.map(({ title, text }) => widest([title, ...rows.map(text)]));
  const layout = layOut(
    columns.map(({ isDetail }, at) => ({ isDetail, width: widths[at] ?? 0 })),
    width,
    narrowestLabel,
  );
  const shares = shareRoom(layout, {
    label: widest(['task', ...rows.map(({ label }) => label)]),
    remark: widest(rows.map(({ remark }) => remark)),
    least: narrowestLabel,
  });
  const lineOf = (label: string, text: (column: TableColumn) => string): string => {
    const cells = columns.map((column, at) => pad(text(column), widths[at] ?? 0, column.align));
    return joinCells(layout, pad(clipStart(label, shares.label), shares.label), cells);
  };
  const { gap, hasMark } = layout;
  return [
    paint('dim', `${hasMark ? '  ' : ''}${lineOf('task', ({ title }) => title)}`),
    ...rows.map((row) => {
      const { style, mark } = styleOfStatus(row.status);
      const line = lineOf(row.label, ({ text }) => text(row));
      const remark = clip(row.remark, shares.remark);
      return [
        hasMark ? `${paint(style, mark)} ` : '',
        line,
        remark === '' ? '' : gap + paint('dim', remark),
      ].join('');
    }),
    ...(hidden > 0 ? [paint('dim', `  and ${formatWhole(hidden)} more`)] : []),
  ];
}
