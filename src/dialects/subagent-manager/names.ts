// Owns what a subagent may be called, and what the tool that hands work to it is called (A25, A28, A29). Pure.
import { describe } from '../../base/failures.ts';
import { isReservedName } from '../../sessions/board-entries.ts';

const pattern = /^[A-Za-z][A-Za-z0-9_]{0,31}$/;
/** Names that Windows keeps for devices; refused everywhere, because folders are named after agents. */
const devices = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/i;

/** The rule as text, for prompts and refusals. */
export const nameRule =
  'a name begins with a letter, holds letters, digits and underscores only, and has 1 to 32 characters';

/** Why an agent cannot be called so; null when it can. */
export function refuseName(name: string): string | null {
  if (!pattern.test(name)) return `${describe(name)} is no name: ${nameRule}`;
  const why = refuseTaken(name);
  return why === null ? null : `${describe(name)} ${why}`;
}

/** Why no agent can have this name, whether a program or a model chose it; null when one can (A29). */
export function refuseTaken(name: string): string | null {
  if (devices.test(name)) return 'is a name that Windows keeps for a device';
  // `all` means all agents, to the board and to `remove_subagent`; `System` is the author of announcements.
  return isReservedName(name) ? 'stands for somebody else' : null;
}

/** What hands work to the agent of this name. */
export function handoffName(name: string): string {
  return `transfer_to_${name}`;
}

/** What hands work to any of them, by its name: for an agent whose list of tools is fixed when its run begins. */
export const anyHandoff = handoffName('subagent');
