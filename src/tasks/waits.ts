// Owns what the open calls of a run wait for, and so whether its thread could be given to another (V7). Pure.
import type { Run } from './state.ts';

/** Open calls that wait for children, or for what else the supervisor ends. */
export function waitingCalls({ record, calls }: Run): readonly string[] {
  return [...record.openCalls.keys()].filter((id) => calls.isWaiting(id));
}

/** Every open call waits for what the supervisor ends. */
export function onlyWaits(run: Run): boolean {
  const { size } = run.record.openCalls;
  return size > 0 && waitingCalls(run).length === size;
}

/** Every open call is a host tool that waits for children or an answer: the run may give its thread up. */
export function isParkable(run: Run): boolean {
  if (run.agent.slot !== 'occupied' || run.record.phase !== 'in_tool') return false;
  return !hasThreadCall(run) && onlyWaits(run);
}

/** It keeps its slot and can do nothing with it: every open call waits for children, one in its thread. */
export function isStuck(run: Run): boolean {
  if (run.agent.slot !== 'occupied' || run.record.phase !== 'in_tool') return false;
  return hasThreadCall(run) && onlyWaits(run);
}

function hasThreadCall({ record: { openCalls } }: Run): boolean {
  for (const { where } of openCalls.values()) if (where === 'thread') return true;
  return false;
}
