// Owns who may import whom: the table behind docs/architecture.md, the packages and where each may be named, the reach of a file.
import { posix } from 'node:path';
import type { Import, Source } from './source.ts';

const base = ['base', 'events'];
const kernel = [...base, 'protocol', 'actor'];
const agent = [...kernel, 'models', 'tools', 'agent'];
const sessions = [...agent, 'tasks', 'sessions'];
/** All that a supervisor is made of: no dialect. */
const kernelAndAgents = [
  ...sessions,
  'supervision',
  'threads',
  'actor-system',
  'observe',
  'journal',
];
const everything = null;

/** What each part of the source may import at run time, beside itself. Null: everything but `workers`. */
const importTable: Readonly<Record<string, readonly string[] | null>> = {
  base: [],
  events: base,
  protocol: base,
  actor: base,
  supervision: kernel,
  models: [...base, 'protocol'],
  tools: [...base, 'protocol'],
  agent,
  // Decisions over spawns and clocks are pure functions, which it calls.
  tasks: [...agent, 'supervision', 'journal'],
  sessions,
  dialects: sessions,
  threads: kernel,
  'actor-system': [...kernel, 'supervision', 'threads'],
  journal: kernel,
  cluster: kernel,
  observe: base,
  dashboard: [...base, 'observe', 'index'],
  // `--journal` reads what is there before a supervisor has it.
  cli: [...base, 'observe', 'index', 'public dialect', 'journal'],
  // It knows no dialect: each registers with a session.
  supervisor: kernelAndAgents,
  // The public faces: what they pull in is checked by the reach of the file.
  index: [...kernelAndAgents, 'supervisor'],
  testing: everything,
  'public dialect': ['dialects'],
  'public actor': everything,
  'public tool': ['tools'],
  'public behavior': kernel,
  'public progress': ['cli'],
  workers: [...kernel, 'agent', 'tools', 'models', 'journal'],
};

/** Types may come from these wherever they are used, and from where the table says. */
const typesFrom: Readonly<Record<string, readonly string[]>> = {
  anywhere: ['protocol', 'actor', 'supervision'],
  tools: ['models'],
};

const publicFaces: ReadonlySet<string> = new Set(['actor', 'tool', 'behavior', 'progress']);

/** The part of the architecture a file belongs to, or null when the layout has no place for it. */
function partOf(path: string): string | null {
  const [top, second = '', third] = path.split('/');
  if (top === 'workers') return 'workers';
  if (top !== 'src') return null;
  if (/^src\/dialects\/[^/]+\/index\.ts$/.test(path)) return 'public dialect';
  const part = third === undefined ? partOfFile(second.replace(/\.ts$/, '')) : second;
  return part in importTable ? part : null;
}

function partOfFile(name: string): string {
  return publicFaces.has(name) ? `public ${name}` : name;
}

/** Imports of our own files that the table does not allow. */
export function importProblems(source: Source): readonly string[] {
  const from = partOf(source.path);
  if (from === null) return [`${source.path}: docs/architecture.md has no place for this file`];
  return source.imports.flatMap((imported) => {
    const target = localTarget(source.path, imported.specifier);
    if (target === null) return [];
    const where = `${source.path}:${imported.line}`;
    const to = partOf(target);
    if (to === null) return [`${where}: ${target} is no part of the layout`];
    const isOfDialect = from === 'dialects' || from === 'public dialect';
    if (isOfDialect && to === 'dialects' && dialectOf(source.path) !== dialectOf(target)) {
      return [`${where}: a dialect must not import another (${target})`];
    }
    if (to === from || mayImport(from, to, imported.kind)) return [];
    return [`${where}: ${from} must not import ${to} (${target})`];
  });
}

/** The dialect a file is of: its folder, since all of them share the one primitive of delegation and nothing else. */
function dialectOf(path: string): string | undefined {
  return path.split('/')[2];
}

function mayImport(from: string, to: string, kind: Import['kind']): boolean {
  if (to === 'workers') return false;
  const allowed = importTable[from];
  if (allowed === null || allowed?.includes(to)) return true;
  if (kind !== 'type') return false;
  return typesFrom['anywhere']?.includes(to) === true || typesFrom[from]?.includes(to) === true;
}

/** Packages that only certain files may name, types included. */
const confined: readonly (readonly [name: string, files: RegExp])[] = [
  ['piscina', /^src\/threads\/piscina-threads\.ts$/],
  ['comlink', /^(src\/threads\/rpc-server\.ts|workers\/.*)$/],
  ['@anthropic-ai/sdk', /^src\/models\/providers\/anthropic(-messages)?\.ts$/],
  ['openai', /^src\/models\/providers\/openai(-chat|-responses)?\.ts$/],
  ['@pydantic/genai-prices', /^src\/models\/budget\/price-table\.ts$/],
  ['@modelcontextprotocol/client', /^src\/tools\/mcp\//],
  ['eventemitter3', /^src\/events\/events\.ts$/],
  ['libsql', /^src\/journal\/driver\.ts$/],
  ['undici', /^src\/tools\/builtin\/web\/guarded-fetch\.ts$/],
  ['ipaddr.js', /^src\/tools\/builtin\/web\/addresses\.ts$/],
  ['yaml', /^src\/sessions\/files\/front-matter\.ts$/],
  ['commander', /^src\/cli\//],
  ['tinyglobby', /^src\/cli\//],
  ['string-width', /^src\/cli\//],
];

/** Packages named where they must not be, or declared nowhere. */
export function packageProblems(source: Source, declared: ReadonlySet<string>): readonly string[] {
  return source.imports.flatMap(({ specifier, line }) => {
    const name = packageOf(specifier);
    if (name === null) return [];
    const where = `${source.path}:${line}`;
    if (!declared.has(name)) return [`${where}: ${name} is not in package.json`];
    const allowed = confined.find(([confinedName]) => confinedName === name)?.[1];
    return allowed === undefined || allowed.test(source.path)
      ? []
      : [`${where}: ${name} may be imported by ${allowed.source} only`];
  });
}

/** The packages that load together with a file: those of its imports at run time, and of theirs, without `import()`. */
export function packagesLoadedBy(
  entry: string,
  sources: ReadonlyMap<string, Source>,
): ReadonlySet<string> {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const pending = [entry];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const source = sources.get(path);
    if (source === undefined) throw new Error(`${path} does not exist`);
    for (const { specifier, kind } of source.imports) {
      if (kind !== 'static') continue;
      const target = localTarget(path, specifier);
      const name = packageOf(specifier);
      if (target !== null) pending.push(target);
      if (name !== null) packages.add(name);
    }
  }
  return packages;
}

export function localTarget(path: string, specifier: string): string | null {
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : null;
}

function packageOf(specifier: string): string | null {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return null;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
