// Owns whether two paths lead to one file: by whatever name, through links, on file systems that ignore case.
import { stat } from 'node:fs/promises';

/** False when the second one is not there; throws when the first one cannot be looked at. */
export async function isSameFile(file: string, other: string): Promise<boolean> {
  const [one, two] = await Promise.all([stat(file), stat(other).catch(() => null)]);
  return one.isFile() && one.ino === two?.ino && one.dev === two.dev;
}
