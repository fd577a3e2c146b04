// Owns which exchanges of a cassette are answered otherwise, and with what. Plays nothing.
import { TroupeError, toFailure } from '../base/failures.ts';
import type { Model } from '../models/model.ts';
import type { ScriptStep } from '../models/script.ts';
import { scripted } from '../models/scripted.ts';
import type { CassettePlace } from './cassette-file.ts';
import type { ChangedReply } from './cassette-options.ts';

/** By exchange, a model that gives the reply once. */
export type ChangedReplies = ReadonlyMap<CassettePlace, () => Model>;

/** Throws `invalid_options`, naming the change, for one that is of no exchange or of several, or a bad step. */
export function changedReplies(
  changes: readonly ChangedReply[],
  places: readonly CassettePlace[],
): ChangedReplies {
  const changed = new Map<CassettePlace, () => Model>();
  for (const [index, change] of changes.entries()) {
    const field = `changes.${index}`;
    const place = placeOf(field, change, places);
    if (changed.has(place)) refuse(field, 'is of an exchange that is changed already');
    const step = withIds(change.reply, change.turn);
    const player = (): Model => scripted({ default: [step] });
    try {
      player();
    } catch (error) {
      refuse(field, toFailure(error).message.replace('script.default[0]', 'reply'));
    }
    changed.set(place, player);
  }
  return changed;
}

function placeOf(
  field: string,
  { agent, turn, path }: ChangedReply,
  places: readonly CassettePlace[],
): CassettePlace {
  const found = places.filter(
    ({ exchange }) =>
      exchange.agent === agent &&
      exchange.turn === turn &&
      (path === undefined || exchange.path === path),
  );
  const [place] = found;
  if (place === undefined) {
    const names = [...new Set(places.map(({ exchange }) => exchange.agent))];
    refuse(field, `is of no exchange; agents are ${names.join(', ')}`);
  }
  if (found.length > 1) {
    const paths = [...new Set(found.map(({ exchange }) => exchange.path))];
    refuse(field, `is of ${found.length} exchanges, at ${paths.join(', ')}`);
  }
  return place;
}

/** Made-up ids of calls must not be those of the recorded ones around them. */
function withIds(step: ScriptStep, turn: number): ScriptStep {
  if (!Array.isArray(step.toolCalls)) return step;
  const toolCalls = step.toolCalls.map((call, index) => ({
    id: `changed_${turn}_${index + 1}`,
    ...call,
  }));
  return { ...step, toolCalls };
}

function refuse(field: string, why: string): never {
  throw new TroupeError('invalid_options', `replayed: ${field} ${why}`, { detail: { field } });
}
