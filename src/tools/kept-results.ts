// Owns the files that hold what was cut from results, where the agent that got them can read on.
import { TroupeError } from '../errors.ts';
import { writeInWorkspace } from './builtin/write.ts';

/** The folder of such files, in the workspace; searches leave it out unless they are led there. */
export const keptFolder = '.troupe';

const mostChars = 16_777_216;

/**
 * Writes the whole text of a result into the workspace and answers where, relative to it; null when that cannot be
 * done. A file stays when its agent ends: it is named in the agent's history.
 */
export function keepResult(
  text: string,
  call: { readonly workspace: string; readonly agentId: string; readonly callId: string },
): string | null {
  const name = `${call.agentId}-${call.callId}`.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 120);
  try {
    const path = `${keptFolder}/outputs/${name}.txt`;
    return writeInWorkspace(call.workspace, path, text.slice(0, mostChars)).shown;
  } catch (thrown) {
    // A workspace that takes no file costs the agent the rest of a result, not the result.
    if (thrown instanceof TroupeError) return null;
    throw thrown;
  }
}
