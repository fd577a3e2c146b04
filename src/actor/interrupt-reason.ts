// Owns what an interrupt gives for its reason. Pure.
import type { InterruptOptions } from './ref.ts';

export function reasonOf({ reason = '' }: InterruptOptions): string {
  return reason.trim() === '' ? 'interrupted by its owner' : reason;
}
