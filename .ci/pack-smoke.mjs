// Proves that what npm publishes works: packs, installs into an empty folder, runs a program and the command there, tools
// in TypeScript, and bundles.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { rolldown } from 'rolldown';
import { completionFaults, oldest, typeFaults } from './type-smoke.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const deadlineMs = 120_000;

/** Delegates three tasks on threads and leaves the process to end by itself: what is left alive would hold it. */
const program = `
import { createSupervisor } from 'troupe';
import { behavior } from 'troupe/behavior';
import { showProgress } from 'troupe/progress';
import { defineTool } from 'troupe/tool';

if (typeof defineTool !== 'function') throw new Error('troupe/tool exports no defineTool');
if (typeof behavior !== 'function') throw new Error('troupe/behavior exports no behavior');
// A limit on cost is kept as installed: the prices come along.
const credentials = [{ provider: 'anthropic', keys: ['sk-none'] }];
const capped = { model: 'anthropic:claude-sonnet-5', credentials, budget: { maxCostUsd: 5 } };
await createSupervisor(capped).close();
const supervisor = createSupervisor({ model: 'offline' });
showProgress(supervisor);
const goals = ['one', 'two', 'three'].map((name) => ({ goal: \`Say \${name}.\` }));
const outcomes = await supervisor.delegate(goals);
await supervisor.close();
console.log(JSON.stringify(outcomes.map(({ status, exitReason, index }) => [status, exitReason, index])));
`;
const expected = [0, 1, 2].map((index) => ['completed', 'goal', index]);

/** A module of tools with what only a loader takes, or, where it is plain, what Node strips by itself. */
const typed = (isPlain) => `
import { defineTool } from 'troupe/tool';
import { z } from 'zod';
import { lengthOf } from './${isPlain ? 'plain.ts' : 'full.js'}';

export const count = defineTool({
  name: 'count_letters',
  description: 'Counts the letters of a word.',
  input: z.object({ word: z.string() }),
  run: ({ word }: { word: string }): number => lengthOf(word),
});
`;
const plainHelper = 'export const lengthOf = (word: string): number => word.length;';
const fullHelper = `enum Kind { Word = 0 }\nexport const lengthOf = (word: string): number => word.length + Kind.Word;`;

const usesTools = (module) => `
import { createSupervisor } from 'troupe';

const supervisor = createSupervisor({ model: 'offline', tools: [new URL('${module}', import.meta.url)] });
const outcome = await supervisor.delegate({ goal: 'Count the letters of "pineapple".' });
await supervisor.close();
console.log(outcome.text);
`;
const counted = 'count_letters {"word":"pineapple"} returned: 9\n';

/**
 * An agent with a tool of the host, with the file tools, one whose page a thread of its own reads, and two that ask the gateway,
 * of a provider that answers and of one that is not there: every kind of thread, and every service of one.
 */
const bundled = (address) => `
import { createServer } from 'node:http';
import { createSupervisor, defineTool } from 'troupe';
import { startStubModelServer } from 'troupe/testing';
import { z } from 'zod';

const stock = defineTool({
  name: 'stock',
  description: 'How many of an article there are.',
  input: z.object({ article: z.enum(['bolt', 'nut']) }),
  run: ({ article }) => ({ bolt: 120, nut: 80 })[article],
});
const site = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<html><script>left()</script><h1>Bolts</h1><p>There are <b>120</b>.</p></html>');
});
site.listen(0, '127.0.0.1', async () => {
  const host = '127.0.0.1:' + site.address().port;
  const stub = await startStubModelServer([{ type: 'message', text: ['Good ', 'morning.'] }]);
  const supervisor = createSupervisor({
    model: 'offline',
    tools: [stock],
    web: { allow: [host] },
    threads: { workerUrl: new URL('./worker.${address.extension}', ${address.base}) },
  });
  const provider = { provider: 'anthropic', model: 'm', apiKey: 'k', baseUrl: stub.url };
  const unreachable = { ...provider, baseUrl: 'http://127.0.0.1:1' };
  const outcomes = await supervisor.delegate([
    { goal: 'How many bolts are there?' },
    { goal: 'Read package.json', toolsets: ['file'] },
    { goal: 'Fetch the web page http://' + host + '/bolts', toolsets: ['web'] },
    { goal: 'Say hello.', model: provider },
    { goal: 'Say hello.', model: unreachable, totalTimeoutMs: 60_000 },
  ]);
  await supervisor.close();
  await stub.close();
  site.close();
  const facts = outcomes.map(({ text, error }) => error?.code ?? text.replaceAll(host, 'host').split('\\n')[0]);
  console.log(JSON.stringify(facts));
});
`;
const esModule = { extension: 'js', base: 'import.meta.url' };
const commonJs = { extension: 'cjs', base: "'file://' + __filename" };
/** What esbuild needs where an ES module bundles CommonJS, which the HTTP client of web_fetch is. */
const hasRequire =
  "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);";
const bundleFacts = [
  'stock {"article":"bolt"} returned: 120',
  'package.json (1 line)',
  'web_fetch {"url":"http://host/bolts"} returned: http://host/bolts (status 200) Bolts There are 120.',
  'Good morning.',
  'model_disconnected',
];

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

  const packed = readdirSync(join(app, 'node_modules', 'troupe'), { recursive: true });
  const wanted = ['CHANGELOG.md', 'LICENSE', 'README.md', join('docs', 'README.md')];
  check(
    'the papers are packed, and no source map',
    [wanted.filter((name) => !packed.includes(name)), packed.filter((name) => /\.map$/.test(name))],
    [[], []],
  );

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

  // Its package.json names the published version; the packed one is installed.
  run(app, 'npx', '--no-install', 'troupe', 'init', 'begun');
  const begun = join(app, 'begun');
  run(begun, 'npm', 'install', '--silent', '--no-audit', '--no-fund', join('..', '..', tarball));
  check(
    'the project of troupe init runs',
    run(begun, 'npm', 'start', '--silent').trim().split('\n').length,
    3,
  );
  run(begun, 'npm', 'test');

  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const tsx = `tsx@${devDependencies.tsx}`;
  run(app, 'npm', 'install', '--silent', '--no-audit', '--no-fund', 'zod', tsx, oldest);
  for (const { settings, printed, status } of typeFaults(app)) {
    check(`types by ${settings}`, [printed, status], ['', 0]);
  }
  check('completions in an editor', completionFaults(app), []);
  writeFileSync(join(app, 'full.ts'), fullHelper);
  writeFileSync(join(app, 'plain.ts'), plainHelper);
  writeFileSync(join(app, 'full-tools.ts'), typed(false));
  writeFileSync(join(app, 'plain-tools.ts'), typed(true));
  writeFileSync(join(app, 'program.ts'), usesTools('./full-tools.ts'));
  writeFileSync(join(app, 'plain.mjs'), usesTools('./plain-tools.ts'));
  check('the command tsx', run(app, 'npx', '--no-install', 'tsx', 'program.ts'), counted);
  check('node --import tsx', run(app, 'node', '--import', 'tsx', 'program.ts'), counted);
  check(
    'a module in TypeScript of a program in JavaScript',
    run(app, 'node', 'plain.mjs'),
    counted,
  );

  // The optional packages are not there: no bundler may want them.
  rmSync(join(app, 'node_modules', '@pydantic'), { recursive: true, force: true });
  const files = (format) => ({ program: `bundled.${format}`, worker: 'troupe/worker' });
  writeFileSync(join(app, 'bundled.mjs'), bundled(esModule));
  writeFileSync(join(app, 'bundled.cjs'), bundled(commonJs));
  const common = { absWorkingDir: app, bundle: true, platform: 'node', logLevel: 'error' };
  await build({ ...common, entryPoints: files('mjs'), format: 'esm', outdir: 'by-esbuild' });
  check(
    'a bundle by esbuild, but for pages',
    JSON.parse(run(app, 'node', 'by-esbuild/program.js')).filter(
      (fact) => !fact.startsWith('web_'),
    ),
    bundleFacts.filter((fact) => !fact.startsWith('web_')),
  );
  await build({
    ...common,
    entryPoints: files('mjs'),
    format: 'esm',
    splitting: true,
    banner: { js: hasRequire },
    outdir: 'by-esbuild-split',
  });
  check(
    'a bundle by esbuild in chunks',
    JSON.parse(run(app, 'node', 'by-esbuild-split/program.js')),
    bundleFacts,
  );
  await build({
    ...common,
    entryPoints: files('cjs'),
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    outdir: 'by-esbuild-cjs',
    logOverride: { 'empty-import-meta': 'silent' },
  });
  check(
    'a bundle of CommonJS by esbuild',
    JSON.parse(run(app, 'node', 'by-esbuild-cjs/program.cjs')),
    bundleFacts,
  );
  const bundle = await rolldown({
    input: files('mjs'),
    cwd: app,
    platform: 'node',
    logLevel: 'silent',
  });
  await bundle.write({ dir: join(app, 'by-rolldown'), format: 'esm' });
  await bundle.close();
  check(
    'a bundle by rolldown',
    JSON.parse(run(app, 'node', 'by-rolldown/program.js')),
    bundleFacts,
  );
} finally {
  rmSync(base, { recursive: true, force: true });
}
