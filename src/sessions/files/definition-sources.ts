// Owns which folders definitions are read from: those the program names, and those of projects that it trusts.
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { toFailure } from '../../base/failures.ts';
import { type Diagnostics, passOverLink, type Report } from './definition-folder.ts';

/**
 * A project, such as the folder an agent works in. Its files were written by the project's authors and become prompts,
 * tools and commands of this program: nothing is loaded from it unless it is trusted.
 */
export type ProjectFolder = {
  /** The project's folder. */
  readonly project: string;
  /** Whether the program, or the person it asked, allows the project's own definitions to be used. */
  readonly isTrusted: boolean;
};

/** A text is a folder that the program itself trusts; a project states whether it is trusted. */
export type DefinitionSource = string | ProjectFolder;

export const sourcesSchema = z.array(
  z.union(
    [z.string().min(1), z.strictObject({ project: z.string().min(1), isTrusted: z.boolean() })],
    'expected a folder, or a project and whether it is trusted: { project, isTrusted }',
  ),
);

/**
 * The folders to read, nearest first; of a project those of `places` that it has. A place of a project that is not trusted
 * is reported as an error and not read. One that is reached through a link is not read either, with a warning.
 */
export async function trustedFolders(
  sources: readonly DefinitionSource[],
  places: readonly string[],
  diagnostics: Diagnostics,
): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const source of sources) {
    if (typeof source === 'string') folders.push(source);
    else folders.push(...(await placesOf(source, places, diagnostics)));
  }
  return folders;
}

async function placesOf(
  { project, isTrusted }: ProjectFolder,
  places: readonly string[],
  diagnostics: Diagnostics,
): Promise<readonly string[]> {
  const root = await realOf(project, diagnostics.about(project));
  if (root === null) return [];
  const found: string[] = [];
  for (const place of places) {
    const folder = join(project, place);
    const report = diagnostics.about(folder);
    if (!(await isThere(folder))) continue;
    if (!isTrusted) {
      report.error(`the project ${project} is not trusted, and nothing of this folder is loaded`);
      continue;
    }
    const real = await realOf(folder, report);
    if (real === join(root, place)) found.push(folder);
    else if (real !== null) passOverLink(report);
  }
  return found;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    // Most projects have no such folder; one that cannot be looked at cannot be loaded from either.
    return false;
  }
}

async function realOf(path: string, report: Report): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (thrown) {
    report.error(`the folder cannot be read: ${toFailure(thrown).message}`);
    return null;
  }
}
