// Owns where tasks of a call are found again after a restart: a run that goes on makes the call again, in the same turn. Pure.
import type { Run } from '../state.ts';

/** A model may use an id again in a later turn, and in a further attempt. */
export function placeOfCall({ task, record }: Run, callId: string): string {
  return `${task.earlier?.attempts ?? 0} ${record.turns} ${callId}`;
}

/** Where each task of a call is found again: by the call, and how many it has delegated before. */
export function placesOf(
  parent: Run | null,
  callId: string | undefined,
  width: number,
): readonly string[] {
  if (parent === null || callId === undefined) return [];
  const call = placeOfCall(parent, callId);
  parent.delegated ??= new Map();
  const first = parent.delegated.get(call) ?? 0;
  parent.delegated.set(call, first + width);
  return Array.from({ length: width }, (_, at) => `${call} ${first + at}`);
}
