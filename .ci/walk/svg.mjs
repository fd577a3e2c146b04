// Owns the picture of a recorded terminal: an SVG that plays its screens in turn. Pure.

const cell = { width: 8, height: 18 };
const margin = 16;
const tickMs = 1;
const colours = {
  1: '#ff7b72',
  2: '#7ee787',
  3: '#e3b341',
  4: '#79c0ff',
  5: '#d2a8ff',
  6: '#76e3ea',
};

const escaped = (text) =>
  text.replace(/[&<>]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[char]);

/** The screens in the order of time; the last one stays for `restMs`, then it begins again. */
export function svgOf(seen, { columns, rows, title, text, restMs }) {
  // A screen that another one replaces within the same tick of the film is never drawn.
  const frames = seen.filter(({ atMs }, at) => (seen[at + 1]?.atMs ?? Infinity) - atMs >= tickMs);
  const width = columns * cell.width + 2 * margin;
  const height = rows * cell.height + 2 * margin;
  const totalMs = frames.at(-1).atMs + restMs;
  // A row that several screens show is drawn once.
  const ids = new Map();
  const idOf = (row) => {
    const key = JSON.stringify(row);
    if (!ids.has(key)) ids.set(key, { id: `r${ids.size}`, row });
    return ids.get(key).id;
  };
  const screens = frames.map(({ screen }, at) => {
    const uses = screen.flatMap((row, y) =>
      row.length === 0 ? [] : [`<use href="#${idOf(row)}" y="${(at * rows + y) * cell.height}"/>`],
    );
    return `<g>${uses.join('')}</g>`;
  });
  const drawn = [...ids.values()].map(
    ({ id, row }) => `<text id="${id}">${row.map(runOf).join('')}</text>`,
  );
  const steps = frames.map(({ atMs }, at) => {
    const percent = ((atMs / totalMs) * 100).toFixed(3);
    return `${at === 0 ? 0 : percent}%{transform:translateY(-${at * rows * cell.height}px)}`;
  });
  const last = -(frames.length - 1) * rows * cell.height;
  const used = new Set(
    [...ids.values()].flatMap(({ row }) =>
      row.flatMap(({ style }) => /c(\d+)/.exec(style)?.[1] ?? []),
    ),
  );
  const rules = [...used].map((at) => `.c${at}{fill:${colours[at % 8] ?? '#c9d1d9'}}`);

  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(title)}</title>
<desc>
${escaped(text)}
</desc>
<style>
text{font:14px/1 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#c9d1d9;white-space:pre}
.b{font-weight:bold}.d{opacity:.6}${rules.join('')}
.film{transform:translateY(${last}px);animation:film ${(totalMs / 1000).toFixed(3)}s steps(1) infinite}
@keyframes film{${steps.join('')}}
@media (prefers-reduced-motion:reduce){.film{animation:none}}
</style>
<defs>
${drawn.join('\n')}
</defs>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<clipPath id="screen"><rect width="${columns * cell.width}" height="${rows * cell.height}"/></clipPath>
<g transform="translate(${margin} ${margin})" clip-path="url(#screen)"><g transform="translate(0 13)"><g class="film">
${screens.join('\n')}
</g></g></g>
</svg>
`;
}

function runOf({ x, style, text }) {
  const classes = style.match(/c\d+|b|d/g);
  const kind = classes === null ? '' : ` class="${classes.join(' ')}"`;
  // Any font keeps the columns.
  return `<tspan x="${x * cell.width}"${kind} textLength="${[...text].length * cell.width}" lengthAdjust="spacingAndGlyphs">${escaped(text)}</tspan>`;
}
