// Owns the place where a long synchronous file tool notices an interrupt.
import { TroupeError } from '../../base/failures.ts';
import type { ToolContext } from '../tool.ts';

/** Throws when an interrupt arrived; cheap enough for every chunk and every line. */
export function checkpoint(tool: Pick<ToolContext, 'interrupted'>): void {
  if (tool.interrupted()) throw new TroupeError('interrupted', 'the run was interrupted');
}
