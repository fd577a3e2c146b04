// Owns colour on the terminal: the few styles there are, and when there are none. Pure.

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof codes;

/** Wraps text in a style, or leaves it plain. */
export type Paint = (style: Style, text: string) => string;

export const plainPaint: Paint = (_style, text) => text;

export const colourPaint: Paint = (style, text) => {
  const [open, close] = codes[style];
  return text === '' ? '' : `\u001b[${open}m${text}\u001b[${close}m`;
};

/** Colour on terminals only, and never where NO_COLOR is set to anything, or the terminal is a dumb one. */
export function choosePaint(facts: {
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Paint {
  const { isTerminal, env } = facts;
  const isRefused = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return isTerminal && !isRefused ? colourPaint : plainPaint;
}

/** The style and the mark of an end. */
export function styleOfStatus(status: string): { readonly style: Style; readonly mark: string } {
  switch (status) {
    case 'completed':
      return { style: 'green', mark: '✓' };
    case 'interrupted':
      return { style: 'yellow', mark: '■' };
    default:
      return { style: 'red', mark: '✗' };
  }
}
