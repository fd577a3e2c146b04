// Writes the API reference of every entry point to dist/docs, and fails on an exported name or a member that has no doc
// comment, or one with the id of a rule: those are for tests and docs. typedoc needs an older TypeScript than the sources' own, so both are installed in this folder.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');

if (!existsSync(join(here, 'node_modules', 'typedoc'))) {
  const windows = process.platform === 'win32';
  const install = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync(windows ? 'npm.cmd' : 'npm', install, {
    cwd: here,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: windows,
  });
  if (status !== 0) process.exit(status ?? 1);
}
const { Application, ReflectionKind, TSConfigReader } = await import('typedoc');

const types = ReflectionKind.ClassOrInterface | ReflectionKind.TypeAlias;
const kinds =
  types |
  ReflectionKind.Function |
  ReflectionKind.Variable |
  ReflectionKind.Property |
  ReflectionKind.Method |
  ReflectionKind.Accessor;

/** The sources of the entry points: a worker's is loaded, never imported by name. */
function entryPoints() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.entries(exports)
    .filter(([name, { types }]) => types !== undefined && name !== './worker')
    .map(([, { types }]) => join(root, types.replace('/dist/', '/').replace(/\.d\.ts$/, '.ts')));
}

/** A function's comment stands on its signature, and so does that of a property whose type is one. */
function documented(reflection) {
  const signatures = [
    ...(reflection.getAllSignatures?.() ?? []),
    ...(reflection.type?.type === 'reflection'
      ? reflection.type.declaration.getAllSignatures()
      : []),
  ];
  return reflection.hasComment() || signatures.some((signature) => signature.hasComment());
}

/** The ids of rules and requirements, such as A34 or X7. */
const ruleId = /\b[A-EFJLMOPRSTVWX]\d{1,2}\b/;

/** Shown with a name where it is used: by an editor, and by the reference. */
function hoverText(reflection) {
  const signatures = reflection.getAllSignatures?.() ?? [];
  return [reflection, ...signatures]
    .flatMap(({ comment }) => [
      ...(comment?.summary ?? []),
      ...(comment?.blockTags ?? []).flatMap(({ content }) => content),
    ])
    .filter(({ kind }) => kind === 'text')
    .map(({ text }) => text)
    .join('');
}

/** A tag such as `type: 'text'` says what it is: the only value it has. */
const isTag = ({ type }) => type?.type === 'literal' && typeof type.value === 'string';

/** Whether a reflection is an exported name, or a member of one: the fields of a member's own object are part of its comment. */
function isPublic(reflection) {
  let { parent } = reflection;
  while (parent?.kindOf(ReflectionKind.TypeLiteral)) {
    if (isVariant(parent)) return false;
    ({ parent } = parent);
  }
  return parent?.kindOf(ReflectionKind.Project | ReflectionKind.Module | types);
}

/** A variant of a union is part of the union's comment. */
function isVariant(literal) {
  const isIn = (type, isUnion) =>
    type?.type === 'reflection'
      ? isUnion && type.declaration === literal
      : (type?.types ?? []).some((each) => isIn(each, isUnion || type.type === 'union'));
  return isIn(literal.parent?.type, false);
}

function faultsOf(project) {
  const found = new Set();
  for (const reflection of project.getReflectionsByKind(kinds)) {
    const [source] = reflection.sources ?? [];
    if (source === undefined || reflection.inheritedFrom) continue;
    const file = relative(root, source.fullFileName);
    if (!/^(src|workers)[\\/]/.test(file)) continue;
    const where = `${file}:${source.line} ${reflection.getFriendlyFullName()}`;
    const [id] = ruleId.exec(hoverText(reflection)) ?? [];
    if (id !== undefined) found.add(`${where}: its comment has the id of a rule, ${id}`);
    if (!isPublic(reflection) || isTag(reflection) || documented(reflection)) continue;
    found.add(`${where}: it has no doc comment`);
  }
  return [...found].sort();
}

const app = await Application.bootstrap(
  {
    name: 'troupe',
    entryPoints: entryPoints(),
    tsconfig: join(root, 'tsconfig.json'),
    // `npm run typecheck` checks the sources, with the compiler they are written for.
    skipErrorChecking: true,
    basePath: root,
    readme: 'none',
    excludePrivate: true,
    excludeProtected: true,
    excludeInternal: true,
    excludeExternals: true,
    validation: { notExported: false, invalidLink: false },
    logLevel: 'Warn',
  },
  [new TSConfigReader()],
);
const project = await app.convert();
if (project === undefined) process.exit(1);
await app.generateDocs(project, join(root, 'dist', 'docs'));

const faults = faultsOf(project);
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.stderr.write(`${faults.length} faults in doc comments\n`);
process.exitCode = faults.length > 0 || app.logger.hasErrors() ? 1 : 0;
