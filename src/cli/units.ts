// Owns amounts as people read and write them: durations, counts, money. Pure.

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const amount = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;

/** The milliseconds of `10m`, `30s`, `1.5h`, `500ms`; null when the text is none of these, or zero. */
export function parseDuration(text: string): number | null {
  const match = amount.exec(text.trim());
  if (match === null) return null;
  const [, digits = '', unit = ''] = match;
  // The expression knows no other unit.
  const ms = Number(digits) * unitMs[unit as keyof typeof unitMs];
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

/** `12 ms`, `1.23 s`, `2m 03s`, `1h 04m`. */
export function formatMs(ms: number): string {
  const whole = Math.round(ms);
  if (whole < 1_000) return `${whole} ms`;
  // Rounded before the choice, so that nothing shows as 60.00 s.
  if (ms < 59_950) return `${(ms / 1_000).toFixed(ms < 9_995 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${twoDigits(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${twoDigits(minutes % 60)}m`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** `950`, `1.2k`, `34k`, `5.6M`. */
export function formatCount(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 9_950) return `${(count / 1_000).toFixed(1)}k`;
  if (count < 999_500) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** `12,345`. */
export function formatWhole(count: number): string {
  return count.toLocaleString('en-US');
}

/** `$0.00`, `$0.0042`, `$12.30`. */
export function formatUsd(costUsd: number): string {
  return `$${costUsd.toFixed(costUsd > 0 && costUsd < 0.1 ? 4 : 2)}`;
}

/** `1,200 tasks/s`, `2.5 tasks/s`, `12 tasks/min`. */
export function formatRate(perSecond: number, noun: string): string {
  const [rate, unit] = perSecond < 1 ? [perSecond * 60, 'min'] : [perSecond, 's'];
  const text = rate >= 9.95 ? formatWhole(Math.round(rate)) : rate.toFixed(1);
  return `${text} ${noun}s/${unit}`;
}

/** `1 task`, `3 tasks`. */
export function plural(count: number, noun: string): string {
  return `${formatWhole(count)} ${noun}${count === 1 ? '' : 's'}`;
}
