// Owns the files with the full text of results that were cut, where the agent that got them can read on.
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TroupeError } from '../base/failures.ts';
import { replaceFile } from './builtin/replace-file.ts';

/** The folder of such files, in the workspace; searches leave it out unless they are led there. */
export const keptFolder = '.troupe';

const maxChars = 16_777_216;
const markLength = 12;

/** What one workspace keeps at most, of all its agents together. */
export const maxKept = { files: 500, bytes: 268_435_456 } as const;

/**
 * Writes the whole text of a result into the workspace and answers where, relative to it; null when that cannot be
 * done. A file remains when its agent ends: the agent's history names it, and its text never changes, although ids of
 * agents and calls come again in another supervisor, and with some providers in one run. What is
 * kept is bounded by `maxKept`: with each new file the oldest ones beyond it go, of whichever agent; to keep
 * none, set `keepResults: false`.
 */
export function keepResult(
  text: string,
  call: { readonly workspace: string; readonly agentId: string; readonly callId: string },
): string | null {
  const ids = `${call.agentId}-${call.callId}`.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 120);
  const kept = text.slice(0, maxChars);
  const name = `${ids}-${markOf(kept)}.txt`;
  try {
    const { shown } = replaceFile(call.workspace, `${keptFolder}/outputs/${name}`, () => kept);
    removeOldest(call.workspace, name);
    return shown;
  } catch (thrown) {
    // A workspace that takes no file costs the agent the rest of a result, not the result.
    if (thrown instanceof TroupeError) return null;
    throw thrown;
  }
}

function markOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, markLength);
}

/** Removes the oldest files beyond the bound, never the newest one. Only files of ours, and only in a folder that is no link. */
function removeOldest(workspace: string, newest: string): void {
  const outer = join(workspace, keptFolder);
  const folder = join(outer, 'outputs');
  try {
    if (![outer, folder].every((path) => lstatSync(path).isDirectory())) return;
    const kept = readdirSync(folder).flatMap((name) => {
      const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
      const isOurs = name.endsWith('.txt') && name !== newest && stats?.isFile() === true;
      return isOurs ? [{ name, bytes: stats.size, at: stats.mtimeMs }] : [];
    });
    const size = lstatSync(join(folder, newest), { throwIfNoEntry: false })?.size ?? 0;
    let [files, bytes] = [1, size];
    for (const each of kept.sort((a, b) => b.at - a.at)) {
      files += 1;
      bytes += each.bytes;
      if (files <= maxKept.files && bytes <= maxKept.bytes) continue;
      rmSync(join(folder, each.name), { force: true });
    }
  } catch (thrown) {
    // A folder that cannot be tidied up keeps what it has: the result that was just kept is worth more.
    if (thrown instanceof Error && 'code' in thrown) return;
    throw thrown;
  }
}
