// Owns what no file may say: the forbidden words of CONTRIBUTING.md, and the shape every file has.
import { isNode, lineOf, type Node, nameOf, type Source } from './source.ts';

type Rule = {
  readonly says: string;
  /** Files that may all the same. */
  readonly except?: RegExp;
  /** Files the rule is about; all of `src` and `workers` when not given. */
  readonly within?: RegExp;
  breaks(node: Node): boolean;
};

const member =
  (object: string, ...properties: readonly string[]) =>
  (node: Node) =>
    node.type === 'MemberExpression' &&
    nameOf(node['object']) === object &&
    properties.includes(nameOf(node['property']) ?? '');

const anyMemberOf = (object: string) => (node: Node) =>
  node.type === 'MemberExpression' && nameOf(node['object']) === object;

/** However it is reached: called, passed on, or taken from globalThis. */
const named = (name: string) => (node: Node) => nameOf(node) === name;

const clockFile = /^src\/base\/clock\.ts$/;
/** The second keeps no time: it follows the timers that others start. */
const timerFiles = /^(src\/base\/clock|workers\/leftovers)\.ts$/;

const rules: readonly Rule[] = [
  { says: 'Date.now', except: clockFile, breaks: member('Date', 'now') },
  { says: 'performance.now', except: clockFile, breaks: member('performance', 'now') },
  {
    says: 'new Date() of the present',
    except: clockFile,
    breaks: (node) =>
      node.type === 'NewExpression' && nameOf(node['callee']) === 'Date' && isEmpty(node),
  },
  { says: 'setTimeout', except: timerFiles, breaks: named('setTimeout') },
  { says: 'setInterval', except: timerFiles, breaks: named('setInterval') },
  { says: 'AbortSignal.timeout', except: clockFile, breaks: member('AbortSignal', 'timeout') },
  { says: 'Math.random', except: clockFile, breaks: member('Math', 'random') },
  { says: 'node:timers', except: timerFiles, breaks: imports(/^(node:)?timers(\/|$)/) },
  { says: 'any', breaks: (node) => node.type === 'TSAnyKeyword' },
  { says: 'enum', breaks: (node) => node.type === 'TSEnumDeclaration' },
  { says: 'console', breaks: anyMemberOf('console') },
  {
    says: "listener of one's own for a signal (whenAborted shares one)",
    except: /^src\/base\/when-aborted\.ts$/,
    breaks: (node) =>
      node.type === 'CallExpression' &&
      isNode(node['callee']) &&
      nameOf(node['callee']['property']) === 'addEventListener' &&
      firstText(node['arguments']) === 'abort',
  },
  {
    says: 'export default',
    // The pool calls the default export of its worker file.
    except: /^workers\//,
    breaks: (node) => node.type === 'ExportDefaultDeclaration',
  },
  {
    says: 'process.on and process.exit',
    within: /^src\/(?!cli\/)/,
    breaks: member('process', 'on', 'once', 'exit', 'addListener', 'prependListener'),
  },
];

/** Forbidden words in a file, one line each. */
export function forbiddenCalls(source: Source): readonly string[] {
  const applying = rules.filter(
    ({ except, within }) =>
      except?.test(source.path) !== true && (within?.test(source.path) ?? true),
  );
  return source.nodes.flatMap((node) =>
    applying
      .filter((rule) => rule.breaks(node))
      .map(({ says }) => `${source.path}:${lineOf(source.text, node)}: no ${says} here`),
  );
}

const maxLines = 300;

/** One class each, mostly ports of a line or two; they may not grow past what they have. */
const longFiles: Readonly<Record<string, number>> = {
  'src/actor/cell.ts': 441,
  'src/tasks/state.ts': 380,
  'src/threads/worker-pool.ts': 360,
  'src/threads/worker-activation-host.ts': 430,
  'workers/worker-activation.ts': 430,
};

/** A file that is too long, or does not begin by saying what it owns. */
export function shapeProblems(path: string, text: string): readonly string[] {
  const lines = text.split('\n');
  const length = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const max = longFiles[path] ?? maxLines;
  const first = lines[0]?.startsWith('#!') ? lines[1] : lines[0];
  return [
    ...(length > max ? [`${path}: ${length} lines, at most ${max}`] : []),
    ...(first?.startsWith('// ') ? [] : [`${path}: the first line says what the file owns`]),
  ];
}

function imports(module: RegExp): (node: Node) => boolean {
  return (node) =>
    node.type === 'ImportDeclaration' &&
    isNode(node['source']) &&
    module.test(String(node['source']['value']));
}

/** The text that a call is handed first. */
function firstText(given: unknown): unknown {
  const first: unknown = Array.isArray(given) ? given[0] : null;
  return isNode(first) ? first['value'] : null;
}

function isEmpty(node: Node): boolean {
  return Array.isArray(node['arguments']) && node['arguments'].length === 0;
}
