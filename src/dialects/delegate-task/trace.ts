// Owns the short form of a child's tool calls: which tools, how often in a row, and what failed. Pure.
import type { ToolTrace } from '../../base/outcome.ts';

/** Calls in their order, `read x3` or `grep failed`, in a JSON list of at most `maxChars` characters more than an empty one. */
export function traceIn(calls: readonly ToolTrace[], maxChars: number): readonly string[] {
  const steps = stepsOf(calls);
  // The first and the last calls say most: what is left out is counted between them.
  for (let shown = steps.length; shown > 0; shown -= 1) {
    const head = Math.ceil(shown / 2);
    const left = steps.length - shown;
    const between = left === 0 ? [] : [`${left} more`];
    const texts = [...steps.slice(0, head), ...between, ...steps.slice(head + left)];
    if (JSON.stringify(texts).length - 2 <= maxChars) return texts;
  }
  return [];
}

function stepsOf(calls: readonly ToolTrace[]): readonly string[] {
  const rows: { readonly what: string; times: number }[] = [];
  for (const { name, status } of calls) {
    const what = status === 'failed' ? `${name} failed` : name;
    const last = rows.at(-1);
    if (last?.what === what) last.times += 1;
    else rows.push({ what, times: 1 });
  }
  return rows.map(({ what, times }) => (times === 1 ? what : `${what} x${times}`));
}
