// Owns the block with the time: part of the user message, because it changes with every run (A38, A60).

/** The block of the time. */
export function timeBlock(wallTime: number, timeZone: string): string {
  return `# Current Time\n\n${timeTeller(timeZone)(wallTime)}`;
}

/** Formats date and minute in a zone, with the zone's short name: `2026-11-21 19:43 (GMT+1)`. */
export function timeTeller(timeZone: string): (wallTime: number) => string {
  const format = formatOf(timeZone);
  return (wallTime) => {
    const parts = format.formatToParts(wallTime);
    const of = (type: Intl.DateTimeFormatPartTypes): string =>
      parts.find((part) => part.type === type)?.value ?? '';
    const date = `${of('year')}-${of('month')}-${of('day')}`;
    return `${date} ${of('hour')}:${of('minute')} (${of('timeZoneName')})`;
  };
}

/** True for a zone that the machine knows, `Europe/Berlin` or `UTC`. */
export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    // `Intl` throws a RangeError for an unknown zone.
    return false;
  }
}

/** Zones whose formats are kept: a format is dear to make, is asked for in every run, and never changes. */
const maxFormats = 64;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Throws a RangeError for a zone that the machine does not know. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    timeZoneName: 'short',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  if (formats.size >= maxFormats) formats.clear();
  formats.set(timeZone, format);
  return format;
}
