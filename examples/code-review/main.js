// A code review: one reviewer for each source file of a folder, eight at a time, then an editor that sums up.
// `node examples/code-review/main.js [folder] [--model anthropic:<model id>]`; without a folder it reviews this
// repository's `src`, without a model it goes by a few rules, offline. Ctrl-C ends it and keeps what is finished.
import { readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createSupervisor, defineAgent } from 'troupe';
import { z } from 'zod';
import { offlineModel } from './offline-model.js';
import { findingsIn, table } from './report.js';

const say = (line) => process.stdout.write(`${line}\n`);
const { values, positionals } = parseArgs({
  options: { model: { type: 'string' } },
  allowPositionals: true,
});
const folder = resolve(positionals[0] ?? fileURLToPath(new URL('../../src', import.meta.url)));
if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
  process.stderr.write(`${folder} is no folder\n`);
  process.exit(2);
}

const reviewer = defineAgent({
  name: 'reviewer',
  prompt: 'You review source files: what is wrong, where, and how bad it is. You praise nothing.',
  tools: [],
  toolsets: ['file'],
  disallowedTools: ['tag:write'],
  outputSchema: z.object({
    findings: z.array(
      z.object({
        line: z.number().int(),
        severity: z.enum(['high', 'medium', 'low']),
        what: z.string(),
      }),
    ),
  }),
});
const editor = defineAgent({
  name: 'editor',
  prompt: 'You sum up a code review in a few sentences, the worst first.',
  tools: [],
});

function* tasks() {
  const isSource = /(?<!\.d)\.[cm]?[jt]sx?$/;
  for (const file of readdirSync(folder, { recursive: true }).sort()) {
    if (!isSource.test(file) || file.split(/[\\/]/).includes('node_modules')) continue;
    yield { goal: `Review ${file}`, agent: reviewer, metadata: { file } };
  }
}

const stopped = new AbortController();
process.once('SIGINT', () => stopped.abort()); // a second Ctrl-C ends the process at once

const supervisor = createSupervisor({ model: values.model ?? offlineModel, workspace: folder });
try {
  const outcomes = [];
  // What was interrupted comes out of the loop too, like everything that was begun.
  const reviews = supervisor.map(tasks(), {
    concurrency: 8,
    ordered: false,
    signal: stopped.signal,
  });
  for await (const outcome of reviews) {
    outcomes.push(outcome);
    process.stderr.write(`${outcome.metadata.file}: ${outcome.status}\n`);
  }
  const finished = outcomes.filter(({ status }) => status === 'completed');
  say(table(outcomes));
  say(`\n${finished.length} of ${outcomes.length} files were reviewed.`);

  const sum = { goal: 'Sum up this review.', context: findingsIn(finished), agent: editor };
  const { status, text } = await supervisor.delegate(sum, { signal: stopped.signal });
  say(status === 'completed' ? text : `Nobody summed it up: ${status}.`);

  const isWhole = status === 'completed' && finished.length === outcomes.length;
  if (stopped.signal.aborted) process.exitCode = 130;
  else if (!isWhole) process.exitCode = 1;
} finally {
  await supervisor.close();
}
