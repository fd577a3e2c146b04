// Owns the check of a folder that the program names for its agents. A fault is reported before anything starts.
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';

/** A relative path would mean another folder in another thread or at another time. */
export const absolutePath = z
  .string()
  .min(1)
  .refine((path) => isAbsolute(path), { error: 'expected an absolute path', abort: true });

/** An absolute path of a folder that is there. */
export const existingFolder = absolutePath.refine(isFolder, 'expected a folder that exists');

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Whatever keeps us from looking at it keeps an agent from working in it: it is no folder to us.
    return false;
  }
}
