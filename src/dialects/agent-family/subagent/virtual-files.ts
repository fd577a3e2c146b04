// Owns the files of a subagent: the virtual `/workspace`, its own folder in it, and the file tools that see both (D46).
import { mkdirSync } from 'node:fs';
import { isAbsolute, join, posix } from 'node:path';
import { describe, TroupeError } from '../../../base/failures.ts';
import { editTool } from '../../../tools/builtin/edit.ts';
import { globTool } from '../../../tools/builtin/glob.ts';
import { grepTool } from '../../../tools/builtin/grep.ts';
import { listTool } from '../../../tools/builtin/list.ts';
import { readTool } from '../../../tools/builtin/read.ts';
import { writeTool } from '../../../tools/builtin/write.ts';
import { defineTool } from '../../../tools/define-tool.ts';
import type { AnyTool, ToolContext } from '../../../tools/tool.ts';

/** What a host lends of its files: the folder that its subagents know as `/workspace`. */
export type SubagentFilesystem = {
  /** Absolute, and there. */
  readonly root: string;
};

const virtualRoot = '/workspace';

/** The folder a subagent may write to, as it names it. */
export function virtualFolder(subagent: string): string {
  return `${virtualRoot}/subagents/${subagent}`;
}

/** The same folder where it really is. */
function realFolder(filesystem: SubagentFilesystem, subagent: string): string {
  return join(checkedRoot(filesystem), 'subagents', subagent);
}

/** The subagent's folder, made when it is first needed. */
export function ensureFolder(filesystem: SubagentFilesystem, subagent: string): string {
  const folder = realFolder(filesystem, subagent);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * What a path of a subagent means: relative to its own folder, absolute below `/workspace`, and nothing else there is.
 * Answers with the way below the host's root. Throws `outside_workspace`; `/internal` is outside as all else is.
 */
function belowRoot(path: string, subagent: string): string {
  const folder = virtualFolder(subagent);
  const asked = posix.normalize(path.startsWith('/') ? path : posix.join(folder, path));
  if (asked === virtualRoot || asked.startsWith(`${virtualRoot}/`)) {
    return asked.slice(virtualRoot.length + 1) || '.';
  }
  throw new TroupeError('outside_workspace', `${describe(path)} leads outside ${virtualRoot}`);
}

/** The way below the subagent's own folder; throws `outside_workspace` for anything it may not write. */
export function belowFolder(path: string, subagent: string): string {
  const way = inFolder(path, subagent);
  if (way !== null) return way;
  const folder = virtualFolder(subagent);
  throw new TroupeError('outside_workspace', `${describe(path)} is not in ${folder}/`);
}

/** Null for what is below the root elsewhere. */
function inFolder(path: string, subagent: string): string | null {
  const way = belowRoot(path, subagent);
  const own = posix.join('subagents', subagent);
  if (way === own) return '.';
  return way.startsWith(`${own}/`) ? way.slice(own.length + 1) : null;
}

/**
 * The file tools of a subagent. They run in the service, on the host's very handle: reading below `/workspace`, writing in the
 * subagent's own folder. Symbolic links are resolved and judged as by the built-in ones.
 */
export function subagentFileTools(
  filesystem: SubagentFilesystem,
  subagent: string,
): readonly AnyTool[] {
  const root = checkedRoot(filesystem);
  const where =
    `Paths are relative to ${virtualFolder(subagent)}, or absolute below ${virtualRoot}; ` +
    `for an absolute one, results name paths relative to ${virtualRoot}.`;
  const reading = [listTool, globTool, readTool, grepTool].map((tool) =>
    moved(tool, where, (path = '.') => {
      // Results in its own folder are named by paths that the subagent can use in its next call.
      const way = path.startsWith('/') ? null : inFolder(path, subagent);
      return way === null
        ? { workspace: root, path: belowRoot(path, subagent) }
        : { workspace: ensureFolder(filesystem, subagent), path: way };
    }),
  );
  const writing = [editTool, writeTool].map((tool) =>
    moved(tool, where, (path) => {
      const way = belowFolder(path ?? '.', subagent);
      return { workspace: ensureFolder(filesystem, subagent), path: way };
    }),
  );
  return [...reading, ...writing];
}

type Place = { readonly workspace: string; readonly path: string };

/** A built-in tool that finds its path another way. */
function moved(tool: AnyTool, where: string, place: (path: string | undefined) => Place): AnyTool {
  const { name, description, input, isIdempotent, tags } = tool;
  return defineTool<{ readonly path?: string }>({
    name,
    description: `${description} ${where}`,
    // Every built-in file tool takes an object whose `path` is text: its own schema has judged it by now.
    input: input as Parameters<typeof defineTool<{ readonly path?: string }>>[0]['input'],
    idempotent: isIdempotent,
    tags,
    run(asked, context: ToolContext) {
      const { workspace, path } = place(asked.path);
      // The input is what the tool's own schema made of it, under another path.
      return tool.run({ ...asked, path } as never, { ...context, workspace });
    },
  });
}

/** The root as it was given. Throws `invalid_options` for what is no absolute path. */
export function checkedRoot({ root }: SubagentFilesystem): string {
  if (typeof root === 'string' && isAbsolute(root)) return root;
  throw new TroupeError(
    'invalid_options',
    `filesystem.root is ${describe(root)}: expected an absolute path`,
  );
}
