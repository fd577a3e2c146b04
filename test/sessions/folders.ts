// Shared by the tests of agent and skill files: real folders with files in them. Starts no test.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileDiagnostic } from '#src/index.js';
import { temporaryFolder } from '../fixtures/tool-context.ts';

/** A new folder with these files, by path below it. */
export function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}

/** A file with this front matter. */
export function markdown(frontMatter: string, body = 'Do it well.'): string {
  return `---\n${frontMatter}\n---\n\n${body}\n`;
}

/** Diagnostics as short lines: level, field, and the file below its folder. */
export function shortly(folder: string, diagnostics: readonly FileDiagnostic[]): readonly string[] {
  return diagnostics.map(
    ({ level, field = '-', file }) => `${level} ${field} ${file.slice(folder.length + 1)}`,
  );
}
