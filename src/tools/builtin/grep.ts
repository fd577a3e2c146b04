// Owns the `grep` tool: a regular expression over the text files of the workspace, in a stable order.
import { reasonOf, TroupeError } from '../../base/failures.ts';
import { defineTool } from '../define-tool.ts';
import type { ToolContext } from '../tool.ts';
import { checkpoint } from './checkpoint.ts';
import { objectSchema, optional, text, whole } from './object-schema.ts';
import { textFilesBelow } from './text-files.ts';

const maxResults = 1_000;
const usualResults = 100;
const maxLine = 300;
const filesPerHeartbeat = 256;

/**
 * Searches text files line by line; results read `path:line: text`. An expression that backtracks for ever spins
 * within one line: then no interrupt is seen, and the supervisor's escalation ends the thread.
 */
export const grepTool = defineTool({
  name: 'grep',
  description:
    'Searches the text files of the workspace for a JavaScript regular expression, line by line. Answers "path:line: text", sorted by path. Skips node_modules, .git, symlinks, binary files and files over 1 MB.',
  input: objectSchema({
    pattern: text('JavaScript regular expression, without slashes and flags.'),
    path: optional(text('File or folder to search. Default: the workspace.')),
    maxResults: optional(
      whole(`Most matching lines to show. Default: ${usualResults}.`, 1, maxResults),
    ),
  }),
  idempotent: true,
  tags: ['file', 'read'],
  run({ pattern, path = '.', maxResults = usualResults }, tool) {
    const expression = compile(pattern);
    const found: string[] = [];
    const seen = { text: 0, binary: 0, too_large: 0, unreadable: 0 };
    for (const file of textFilesBelow(tool.workspace, path)) {
      checkpoint(tool);
      seen[file.status] += 1;
      if (file.status !== 'text') continue;
      if (seen.text % filesPerHeartbeat === 0) tool.heartbeat();
      for (const match of matches(file.path, file.text, expression, tool)) {
        if (found.length === maxResults) {
          return `${found.join('\n')}\n[cut: the first ${maxResults} matching lines shown]`;
        }
        found.push(match);
      }
    }
    if (found.length === 0) found.push(`no match in ${seen.text} text files`);
    if (seen.too_large > 0) found.push(`[skipped, over 1 MB: ${seen.too_large}]`);
    if (seen.unreadable > 0) found.push(`[skipped, not readable: ${seen.unreadable}]`);
    return found.join('\n');
  },
});

function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern);
  } catch (thrown) {
    const reason = reasonOf(thrown);
    throw new TroupeError('tool_arguments_invalid', reason, { cause: thrown });
  }
}

function* matches(
  path: string,
  content: string,
  expression: RegExp,
  tool: ToolContext,
): Generator<string> {
  for (const [index, line] of content.split('\n').entries()) {
    checkpoint(tool);
    if (!expression.test(line)) continue;
    const shown = line.length > maxLine ? `${line.slice(0, maxLine)}…` : line.trimEnd();
    yield `${path}:${index + 1}: ${shown}`;
  }
}
