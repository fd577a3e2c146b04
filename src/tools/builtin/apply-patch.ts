// Owns the `apply_patch` tool: changes to several files of the workspace, checked whole before the first is written.
import { accessSync, constants, lstatSync, unlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describe, TroupeError } from '../../base/failures.ts';
import { defineTool } from '../define-tool.ts';
import type { ToolContext } from '../tool.ts';
import { inFolder, notRegular, resolveInWorkspace, translated } from '../workspace.ts';
import { applyHunks } from './apply-hunks.ts';
import { checkpoint } from './checkpoint.ts';
import { objectSchema, text } from './object-schema.ts';
import { type FileChange, type Hunk, parsePatch } from './parse-patch.ts';
import { replaceFile } from './replace-file.ts';
import { readText, refuseLarge } from './text-file.ts';

const maxFiles = 100;

/** Applies a patch; a hunk that does not apply refuses the whole patch before anything is written. */
export const applyPatchTool = defineTool({
  name: 'apply_patch',
  description: `Adds, changes, moves and deletes text files of the workspace with one patch. Form:
*** Begin Patch
*** Add File: new.md
+first line
*** Update File: src/a.ts
@@ function f() {
 context
-old line
+new line
*** Delete File: old.md
*** End Patch
"*** Move to: path" below "*** Update File: " moves the file. Context and old lines are copied exactly; "@@" and a line above them say which of several places is meant. Without line numbers. If one change cannot be made, none is.`,
  input: objectSchema({ patch: text('The patch, from "*** Begin Patch" to "*** End Patch".') }),
  tags: ['file', 'write'],
  run({ patch }, tool) {
    refuseLarge(Buffer.byteLength(patch), 'the patch has');
    const parsed = parsePatch(patch);
    if (parsed.type === 'malformed') throw new TroupeError('tool_arguments_invalid', parsed.why);
    checkPaths(parsed.changes, tool.workspace);
    for (const change of parsed.changes) checkChange(change, tool);
    const done: string[] = [];
    for (const change of parsed.changes) {
      try {
        done.push(...perform(change, tool));
      } catch (thrown) {
        throw done.length === 0 ? thrown : afterOthers(thrown, done);
      }
    }
    return done.join('\n');
  },
});

/** Every file is in one change only: each is checked against what is there before the patch. */
function checkPaths(changes: readonly FileChange[], workspace: string): void {
  if (changes.length > maxFiles) {
    const message = `the patch changes ${changes.length} files, more than ${maxFiles}`;
    throw new TroupeError('tool_arguments_invalid', message);
  }
  const seen = new Set<string>();
  for (const change of changes) {
    const moveTo = change.type === 'update' ? change.moveTo : null;
    for (const path of moveTo === null ? [change.path] : [change.path, moveTo]) {
      const { shown } = resolveInWorkspace(workspace, path);
      if (seen.has(shown)) {
        const message = `${describe(path)} is in the patch twice: put its hunks under one header`;
        throw new TroupeError('tool_arguments_invalid', message);
      }
      seen.add(shown);
    }
  }
}

/** Throws when a change cannot be made to what is there now. */
function checkChange(change: FileChange, tool: ToolContext): void {
  checkpoint(tool);
  switch (change.type) {
    case 'add':
      refuseLarge(Buffer.byteLength(change.content), `${describe(change.path)} would have`);
      refuseExisting(change.path, tool);
      return;
    case 'delete':
      refuseIrregular(change.path, tool);
      return;
    case 'update':
      patched(change.path, change.hunks, tool);
      if (change.moveTo === null) return;
      refuseIrregular(change.path, tool);
      refuseExisting(change.moveTo, tool);
      return;
  }
}

/** Makes a change, and returns a line for each file that it concerns. */
function perform(change: FileChange, tool: ToolContext): readonly string[] {
  const wait = (): void => checkpoint(tool);
  const { workspace } = tool;
  switch (change.type) {
    case 'add': {
      const { shown } = replaceFile(
        workspace,
        change.path,
        newFile(change.path, () => change.content),
        { wait },
      );
      tool.recordFile(shown);
      return [`added ${shown}`];
    }
    case 'delete': {
      const shown = remove(change.path, tool);
      return [`deleted ${shown}`];
    }
    case 'update': {
      const { path, moveTo, hunks } = change;
      const content = () => patched(path, hunks, tool);
      if (moveTo === null) {
        const { shown } = replaceFile(workspace, path, content, { wait });
        tool.recordFile(shown);
        return [`updated ${shown}`];
      }
      const { mode } = refuseIrregular(path, tool);
      const { shown } = replaceFile(workspace, moveTo, newFile(moveTo, content), { wait, mode });
      tool.recordFile(shown);
      return [`moved ${remove(path, tool)} to ${shown}`];
    }
  }
}

/** The content of a file that must not be there yet. */
function newFile(path: string, content: () => string): (before: unknown) => string {
  return (before) => {
    if (before !== undefined) throw existing(path);
    return content();
  };
}

function patched(path: string, hunks: readonly Hunk[], { workspace }: ToolContext): string {
  const result = applyHunks(readText(workspace, path), hunks);
  if (result.type === 'refused') {
    const message = `${describe(path)}, hunk ${result.index + 1}: ${result.why}`;
    throw new TroupeError('file_refused', message);
  }
  refuseLarge(Buffer.byteLength(result.text), `${describe(path)} would have`);
  return result.text;
}

/** Deletes a regular file and returns what it was called. */
function remove(path: string, tool: ToolContext): string {
  const { absolute, shown } = refuseIrregular(path, tool);
  inFolder(tool.workspace, dirname(shown), (folder) => {
    translated(path, () => unlinkSync(join(folder, basename(absolute))));
  });
  tool.recordFile(shown);
  return shown;
}

function refuseIrregular(path: string, { workspace }: ToolContext) {
  const found = resolveInWorkspace(workspace, path);
  const stats = translated(path, () => lstatSync(found.absolute));
  // The link would stay, and what it leads to would go.
  if (translated(path, () => lstatSync(resolve(workspace, path))).isSymbolicLink()) {
    throw new TroupeError('file_refused', `${describe(path)} is a symlink`);
  }
  if (!stats.isFile()) throw notRegular(path, stats);
  // To remove it takes the folder's permission alone; a read-only file is kept all the same.
  translated(path, () => accessSync(found.absolute, constants.W_OK));
  translated(path, () => accessSync(dirname(found.absolute), constants.W_OK));
  return { ...found, mode: stats.mode };
}

function refuseExisting(path: string, { workspace }: ToolContext): void {
  const { absolute } = resolveInWorkspace(workspace, path);
  if (translated(path, () => lstatSync(absolute, { throwIfNoEntry: false })) !== undefined) {
    throw existing(path);
  }
}

function existing(path: string): TroupeError {
  return new TroupeError(
    'file_refused',
    `${describe(path)} exists already: use "*** Update File: "`,
  );
}

/** What was done before a change that failed: another writer came between the check and it. */
function afterOthers(thrown: unknown, done: readonly string[]): unknown {
  if (!(thrown instanceof TroupeError)) return thrown;
  const message = `${thrown.message}; done before that: ${done.join(', ')}`;
  return new TroupeError(thrown.code, message, { cause: thrown });
}
