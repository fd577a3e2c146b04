// Owns the `glob` tool: the files of the workspace whose path matches a pattern, in a stable order.
import { basename } from 'node:path';
import picomatch from 'picomatch';
import { TroupeError } from '../../base/failures.ts';
import { defineTool } from '../define-tool.ts';
import { resolveInWorkspace } from '../workspace.ts';
import { checkpoint } from './checkpoint.ts';
import { objectSchema, optional, text, whole } from './object-schema.ts';
import { filesBelow } from './text-files.ts';

const maxResults = 1_000;
const usualResults = 100;
const maxPattern = 1_000;
const maxStars = 6;
const filesPerHeartbeat = 4_096;

/** Finds files by their path; what is skipped is what `grep` skips. */
export const globTool = defineTool({
  name: 'glob',
  description:
    'Finds the files of the workspace whose path matches a pattern, such as "**/*.ts" or "src/{a,b}/*.md". Answers one path per line, sorted. Skips node_modules, .git and symlinks.',
  input: objectSchema({
    pattern: text('"*" is any part of a name, "**" any folders; matched below path.'),
    path: optional(text('Folder to search. Default: the workspace.')),
    maxResults: optional(whole(`Most paths to show. Default: ${usualResults}.`, 1, maxResults)),
  }),
  idempotent: true,
  tags: ['file', 'read'],
  run({ pattern, path = '.', maxResults = usualResults }, tool) {
    const matches = compile(pattern);
    const found: string[] = [];
    let seen = 0;
    let unreadable = 0;
    const { shown } = resolveInWorkspace(tool.workspace, path);
    const prefix = shown === '.' ? '' : `${shown}/`;
    for (const file of filesBelow(tool.workspace, path)) {
      checkpoint(tool);
      if (file.status === 'unreadable') {
        unreadable += 1;
        continue;
      }
      seen += 1;
      if (seen % filesPerHeartbeat === 0) tool.heartbeat();
      const below = file.path === shown ? basename(shown) : file.path.slice(prefix.length);
      if (!matches(below)) continue;
      if (found.length === maxResults) {
        return `${found.join('\n')}\n[cut: the first ${maxResults} files shown]`;
      }
      found.push(file.path);
    }
    if (found.length === 0) found.push(`no match among ${seen} files`);
    if (unreadable > 0) found.push(`[skipped, not readable: ${unreadable}]`);
    return found.join('\n');
  },
});

function compile(pattern: string): (path: string) => boolean {
  if (pattern === '' || pattern.length > maxPattern) {
    const got = pattern === '' ? 'nothing' : `${pattern.length}`;
    const message = `pattern: expected 1 to ${maxPattern} characters, got ${got}`;
    throw new TroupeError('tool_arguments_invalid', message);
  }
  if (pattern.startsWith('/') || pattern.split('/').includes('..')) {
    const message =
      'pattern: expected one relative to path, without a leading "/" and without ".."';
    throw new TroupeError('tool_arguments_invalid', message);
  }
  const below = pattern.replace(/^(?:\.\/)+/, '');
  // Each further one multiplies the time that a name takes which does not match.
  if (below.split('/').some((name) => (name.match(/\*/g) ?? []).length > maxStars)) {
    const message = `pattern: expected at most ${maxStars} "*" between two "/"`;
    throw new TroupeError('tool_arguments_invalid', message);
  }
  return picomatch(below === '' ? '**' : below, { dot: true });
}
