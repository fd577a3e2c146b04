// Makes docs/errors.md from the one list of failure codes: node .ci/error-page.mjs, after a build.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The page, a row per code. */
export function errorPage(fixes) {
  const cells = Object.entries(fixes).map(([code, fix]) => [`\`${code}\``, fix]);
  const all = [['code', 'what to do'], ...cells];
  const widths = [0, 1].map((column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const [head, ...rows] = all.map(line);
  return `# Errors

Every failure has one of these codes: \`error.code\` of a \`TroupeError\`, \`outcome.error.code\`, and \`failure.code\` in events. Compare the code, never
the message; the message says where, and what was seen. This page is made by \`.ci/error-page.mjs\` from \`src/base/failure-codes.ts\`.

${head}
${rule}
${rows.join('\n')}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { failureFixes } = await import('../dist/src/base/failure-codes.js');
  writeFileSync(new URL('../docs/errors.md', import.meta.url), errorPage(failureFixes));
}
