// Proves that what npm publishes works: packs, installs into an empty folder, runs a program and the command there.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const deadlineMs = 120_000;

/** Delegates three tasks on threads and leaves the process to end by itself: what is left alive would hold it. */
const program = `
import { createSupervisor } from 'troupe';
import { behavior } from 'troupe/behavior';
import { defineTool } from 'troupe/tool';

if (typeof defineTool !== 'function') throw new Error('troupe/tool exports no defineTool');
if (typeof behavior !== 'function') throw new Error('troupe/behavior exports no behavior');
// A limit on cost is kept as installed: the prices come along.
const credentials = [{ provider: 'anthropic', keys: ['sk-none'] }];
const capped = { model: 'anthropic:claude-sonnet-5', credentials, budget: { maxCostUsd: 5 } };
await createSupervisor(capped).close();
const supervisor = createSupervisor({ model: 'offline' });
const goals = ['one', 'two', 'three'].map((name) => ({ goal: \`Say \${name}.\` }));
const outcomes = await supervisor.delegate(goals);
await supervisor.close();
console.log(JSON.stringify(outcomes.map(({ status, exitReason, index }) => [status, exitReason, index])));
`;
const expected = [0, 1, 2].map((index) => ['completed', 'goal', index]);

/** Runs a command in a folder and returns what it printed; anything but exit 0 in time ends the smoke test. */
function run(folder, command, ...args) {
  const result = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: deadlineMs,
    shell: process.platform === 'win32',
    // Killed for good at the deadline: a program that is held open may also ignore a polite signal.
    killSignal: 'SIGKILL',
  });
  if (result.status === 0) return result.stdout;
  const end = result.error?.message ?? `exit ${result.status ?? result.signal}`;
  throw new Error(`${command} ${args.join(' ')}: ${end}\n${result.stdout}${result.stderr}`);
}

function check(title, actual, wanted) {
  if (JSON.stringify(actual) !== JSON.stringify(wanted)) {
    throw new Error(`${title}: got ${JSON.stringify(actual)}, wanted ${JSON.stringify(wanted)}`);
  }
  process.stdout.write(`ok: ${title}\n`);
}

const base = mkdtempSync(join(tmpdir(), 'troupe-pack-'));
try {
  run(root, 'npm', 'pack', '--silent', '--pack-destination', base);
  const tarball = readdirSync(base).find((name) => name.endsWith('.tgz'));
  const app = join(base, 'app');
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }\n');
  run(app, 'npm', 'install', '--silent', '--no-audit', '--no-fund', join('..', tarball));

  writeFileSync(join(app, 'program.js'), program);
  check(
    'a program delegates three tasks and ends',
    JSON.parse(run(app, 'node', 'program.js')),
    expected,
  );

  const command = [
    '--no-install',
    'troupe',
    'run',
    '--goal',
    'Say hello.',
    '--progress',
    'none',
    '--budget-usd',
    '5',
  ];
  run(app, 'npx', ...command, '--out', 'results.jsonl');
  const records = readFileSync(join(app, 'results.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  check(
    'the command writes its outcome',
    records.map(({ status, model }) => [status, model]),
    [['completed', 'offline']],
  );
} finally {
  rmSync(base, { recursive: true, force: true });
}
