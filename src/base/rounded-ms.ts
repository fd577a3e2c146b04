// Owns how a time that was measured is written: in tenths of a millisecond.

export function roundedMs(ms: number): number {
  return Math.round(ms * 10) / 10;
}
