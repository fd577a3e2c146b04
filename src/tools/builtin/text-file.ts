// Owns the reading of a text file that is to be written again: what is no text is refused, since its bytes would change.
import { readFileSync } from 'node:fs';
import { describe, TroupeError } from '../../base/failures.ts';
import { openForReading, translated } from '../workspace.ts';
import { isBinary } from './file-content.ts';

/** The largest file that a tool writes. */
export const maxFileBytes = 4_194_304;

/** The text of a file of the workspace. Throws `outside_workspace` and `file_refused`. */
export function readText(workspace: string, path: string): string {
  const file = openForReading(workspace, path);
  try {
    refuseLarge(file.stats.size, `${describe(path)} has`);
    const bytes = translated(path, () => readFileSync(file.descriptor));
    const content = bytes.toString('utf8');
    if (isBinary(bytes) || !Buffer.from(content).equals(bytes)) {
      throw new TroupeError('file_refused', `${describe(path)} is no text in UTF-8`);
    }
    return content;
  } finally {
    file.close();
  }
}

/** Throws `file_refused` for more than 4 MB; `what` begins the text. */
export function refuseLarge(bytes: number, what: string): void {
  if (bytes <= maxFileBytes) return;
  throw new TroupeError('file_refused', `${what} ${bytes} bytes, more than ${maxFileBytes}`);
}
