// How the review looks on a terminal: a table with a line for each file that has something, and what became of the rest.
const levels = ['high', 'medium', 'low'];

/** `outcomes` are those of the reviewers, each with its file as `metadata.file`. */
export function table(outcomes) {
  const rows = outcomes
    .toSorted((a, b) => (a.metadata.file < b.metadata.file ? -1 : 1))
    .flatMap(rowOf);
  return [['file', 'findings', 'worst', 'first'], ...rows].map(aligned(rows)).join('\n');
}

function rowOf({ status, structured, error, exitReason, metadata: { file } }) {
  if (status !== 'completed') return [[file, '-', status, error?.message ?? exitReason]];
  const { findings } = structured;
  if (findings.length === 0) return [];
  const worst = levels.find((level) => findings.some(({ severity }) => severity === level));
  const { line, what } = findings.find(({ severity }) => severity === worst);
  return [[file, String(findings.length), worst, `line ${line}: ${what}`]];
}

function aligned(rows) {
  const widths = [0, 1, 2].map((at) => Math.max(8, ...rows.map((row) => row[at].length)));
  return ([file, findings, worst, first]) =>
    `${file.padEnd(widths[0])}  ${findings.padStart(widths[1])}  ${worst.padEnd(widths[2])}  ${first}`;
}

/** The findings in words, for the agent that sums them up. */
export function findingsIn(outcomes) {
  const lines = outcomes.flatMap(({ structured, metadata: { file } }) =>
    (structured?.findings ?? []).map(
      ({ line, severity, what }) => `${severity}: ${file}, line ${line}: ${what}`,
    ),
  );
  return lines.sort().join('\n') || 'There are no findings.';
}
