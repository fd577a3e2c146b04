// Owns the player of a cassette: a model that answers each request as it was answered when it was recorded. A test tool.
import { TroupeError } from '../base/failures.ts';
import { unlessAborted } from '../base/with-abort.ts';
import { asResponse } from '../models/gateway/response-shape.ts';
import type { Model, ModelCall, ModelRequest, SettingName } from '../models/model.ts';
import type { ModelResponse } from '../protocol/model-messages.ts';
import type { ModelPrice } from '../protocol/price.ts';
import { differenceOf } from './cassette-difference.ts';
import { type CassettePlace, readCassette } from './cassette-file.ts';
import type { CassetteExchange } from './cassette-line.ts';
import { checkReplayOptions, type ReplayOptions } from './cassette-options.ts';
import { type CassetteRequest, digestOf, type Mask, normalised } from './cassette-request.ts';
import { type ChangedReplies, changedReplies } from './changed-replies.ts';

/** A model that plays a cassette. */
export interface ReplayedModel extends Model {
  /** What was asked so far, in order; by reference. */
  requests(): readonly ModelRequest[];
  /** Throws `cassette_unconsumed`, naming the lines of exchanges that no agent requested. */
  assertConsumed(): void;
}

/**
 * A model that answers from a cassette that `recorded` made: at once, without network, key or SDK, under the name of the
 * model that was recorded. Tools run for real. Throws `cassette_refused` at once, with file and line, for a file that is
 * missing, cut off, not JSON, or of another version.
 *
 * A request is matched by what is asked, among the exchanges of agents of that name, its own path first: agents may
 * start in any order, and twins may swap their paths. One that differs from what was recorded fails its run
 * `cassette_mismatch`, naming agent, turn, line and the first difference; one more than were recorded fails it
 * `cassette_exhausted`. What was interrupted when it was recorded waits here until it is interrupted again.
 *
 * @example
 * ```js
 * import { createSupervisor } from 'troupe';
 * import { recorded, replayed, scripted } from 'troupe/testing';
 *
 * async function greet(model, goal = 'Greet.') {
 *   const supervisor = createSupervisor({ model });
 *   try {
 *     const { text, error } = await supervisor.delegate({ goal, agent: { name: 'greeter' } });
 *     return error?.code ?? text;
 *   } finally {
 *     await supervisor.close();
 *   }
 * }
 *
 * const file = 'greeting.jsonl';
 * await greet(recorded(scripted({ default: [{ text: 'Good morning.' }] }), { file }));
 *
 * const tape = replayed({ file });
 * console.log(await greet(tape)); // → Good morning.
 * tape.assertConsumed();
 *
 * console.log(await greet(replayed({ file }), 'Insult.')); // → cassette_mismatch
 *
 * const changes = [{ agent: 'greeter', turn: 1, reply: { text: 'What if not?' } }];
 * console.log(await greet(replayed({ file, changes }))); // → What if not?
 * ```
 */
export function replayed(options: ReplayOptions): ReplayedModel {
  const { file, mask, changes } = checkReplayOptions(options);
  const { header, places } = readCassette(file);
  const { model, maxOutputTokens, refusedSettings, price } = header;
  const changed = changedReplies(changes, places);
  const player = new Player({ file, mask, places, changed, id: model });
  return Object.assign(player, {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(refusedSettings === undefined ? {} : { refusedSettings }),
    ...(price === undefined ? {} : { price }),
  });
}

type PlayerOptions = {
  readonly id: string;
  readonly file: string;
  readonly mask: Mask | undefined;
  readonly places: readonly CassettePlace[];
  readonly changed: ChangedReplies;
};

class Player implements ReplayedModel {
  readonly id: string;
  /** One exchange of the cassette was all the requests that its answer took. */
  readonly retry = false;
  declare readonly maxOutputTokens?: number;
  declare readonly refusedSettings?: readonly SettingName[];
  declare readonly price?: ModelPrice;
  readonly #file: string;
  readonly #mask: Mask | undefined;
  readonly #changed: ChangedReplies;
  readonly #requests: ModelRequest[] = [];
  /** By the agent's name, in the order of the file. */
  readonly #left = new Map<string, Set<CassettePlace>>();
  /** The recorded path whose exchanges an agent was given, by its id. */
  readonly #paths = new Map<string, string>();
  #hasDeparted = false;

  constructor({ id, file, mask, places, changed }: PlayerOptions) {
    this.id = id;
    this.#file = file;
    this.#mask = mask;
    this.#changed = changed;
    for (const place of places) {
      const { agent } = place.exchange;
      const left = this.#left.get(agent) ?? new Set();
      this.#left.set(agent, left.add(place));
    }
  }

  requests(): readonly ModelRequest[] {
    return this.#requests;
  }

  async respond(request: ModelRequest, call: ModelCall): Promise<ModelResponse> {
    this.#requests.push(request);
    const place = this.#take(request);
    const changed = this.#changed.get(place);
    if (changed !== undefined) {
      this.#hasDeparted = true;
      const model = changed();
      return asResponse(await model.respond(request, call), model, request);
    }
    return await play(place.exchange, call);
  }

  assertConsumed(): void {
    const left = [...this.#left.values()].flatMap((places) => [...places]);
    if (left.length === 0) return;
    const named = left
      .sort((a, b) => a.line - b.line)
      .map(({ line, exchange: { path, turn } }) => `line ${line} (${path}, turn ${turn})`);
    throw new TroupeError(
      'cassette_unconsumed',
      `cassette ${this.#file}: exchanges nobody asked for: ${named.join(', ')}`,
      { detail: { file: this.#file, lines: left.map(({ line }) => line) } },
    );
  }

  #take(request: ModelRequest): CassettePlace {
    const { id, name, path } = request.agent;
    const asked = normalised(request, this.#mask);
    const digest = digestOf(asked);
    const left = this.#left.get(name) ?? new Set();
    const ownPath = this.#paths.get(id) ?? path;
    const atOwnPath = (places: readonly CassettePlace[]): CassettePlace | undefined =>
      places.find(({ exchange }) => exchange.path === ownPath) ?? places[0];
    const equal = atOwnPath([...left].filter(({ exchange }) => exchange.digest === digest));
    const place = equal ?? this.#departed(request, asked, atOwnPath);
    left.delete(place);
    this.#paths.set(id, place.exchange.path);
    return place;
  }

  /** The exchange at the place of a request that is not on the cassette: an answer after a change, else the reason to fail. */
  #departed(
    { agent, turn }: ModelRequest,
    asked: CassetteRequest,
    atOwnPath: (places: readonly CassettePlace[]) => CassettePlace | undefined,
  ): CassettePlace {
    const left = [...(this.#left.get(agent.name) ?? [])];
    const expected = atOwnPath(left.filter(({ exchange }) => exchange.turn === turn));
    const who = `agent "${agent.name}" (${agent.path}), turn ${turn}`;
    const detail = { agent: agent.name, path: agent.path, turn, file: this.#file };
    if (expected === undefined) {
      throw new TroupeError(
        'cassette_exhausted',
        `${who}: cassette ${this.#file} has no exchange left for it`,
        { detail },
      );
    }
    if (this.#hasDeparted) return expected;
    const { line, exchange } = expected;
    throw new TroupeError(
      'cassette_mismatch',
      `${who}: differs from line ${line} of cassette ${this.#file}: ${differenceOf(exchange.request, asked)}`,
      { detail: { ...detail, line } },
    );
  }
}

async function play(exchange: CassetteExchange, call: ModelCall): Promise<ModelResponse> {
  for (const delta of exchange.deltas ?? []) call.onDelta(delta);
  if (exchange.response !== undefined) return exchange.response;
  const failure = TroupeError.from(exchange.failure);
  if (failure.code !== 'aborted') throw failure;
  // It fails once the call is given up.
  return await unlessAborted(call.signal, new Promise<never>(() => {}), () => failure);
}
