// Owns which parts of a line fit a terminal: details are left out, the label is shortened, status and time are kept. Pure.
import { widthOf } from './text.ts';

export type Column = {
  readonly width: number;
  /** Left out, the first one first, where the label would get too little. */
  readonly isDetail: boolean;
};

export type Layout = {
  /** Of each column whether it is shown. */
  readonly shown: readonly boolean[];
  /** What is left for the label; 0: it is left out. */
  readonly room: number;
  /** There is room for a mark and a blank before all. */
  readonly hasMark: boolean;
  readonly gap: string;
};

const markWidth = 2;
const usualGap = '  ';
/** A label of fewer columns says nothing. */
const shortestLabel = 3;

/** Lays a line out: a mark, a label, which wants `least` columns, and columns after it. */
export function layOut(columns: readonly Column[], width: number, least: number): Layout {
  const shown = columns.map(() => true);
  const roomNow = (): number =>
    columns.reduce(
      (room, column, at) => (shown[at] ? room - column.width - usualGap.length : room),
      width - markWidth,
    );
  while (roomNow() < least) {
    const next = columns.findIndex(({ isDetail }, at) => isDetail && shown[at]);
    if (next === -1) break;
    shown[next] = false;
  }
  const room = roomNow();
  if (room >= Math.min(least, shortestLabel)) {
    return { shown, room, hasMark: true, gap: usualGap };
  }
  const kept = columns.filter((_, at) => shown[at]);
  const bare = kept.reduce((sum, column) => sum + column.width, Math.max(0, kept.length - 1));
  // A gap before the first of them is not needed without a label.
  const fitsUsually = room + usualGap.length >= 0;
  return {
    shown,
    room: 0,
    hasMark: bare + markWidth <= width,
    gap: fitsUsually ? usualGap : ' ',
  };
}

/** The label and what is shown of the cells after it. */
export function joinCells(
  { shown, room, gap }: Layout,
  label: string,
  cells: readonly string[],
): string {
  const kept = cells.filter((_, at) => shown[at]);
  return (room === 0 ? kept : [label, ...kept]).join(gap);
}

/**
 * Shares the room of a layout between labels and remarks behind the columns, by the widths of the widest: remarks get what the
 * labels leave; labels get at least half.
 */
export function shareRoom(
  { room, gap }: Layout,
  {
    label,
    remark,
    least,
  }: { readonly label: number; readonly remark: number; readonly least: number },
): { readonly label: number; readonly remark: number } {
  const half = Math.ceil(room / 2);
  const wanted = remark === 0 ? room : Math.max(room - remark - gap.length, half);
  const given = Math.min(label, room, Math.max(least, wanted));
  return { label: given, remark: Math.max(0, room - given - gap.length) };
}

export function widest(texts: readonly string[], least = 0): number {
  return texts.reduce((max, text) => Math.max(max, widthOf(text)), least);
}
