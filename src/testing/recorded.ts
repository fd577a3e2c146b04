// Owns the recorder: a model in front of another that keeps each exchange in a cassette before it answers. A test tool.
import type { SingleModelRef } from '../agent/definition.ts';
import { type Clock, systemClock, systemRandom } from '../base/clock.ts';
import { TroupeError, toFailure } from '../base/failures.ts';
import { hiddenKeys } from '../base/secret-text.ts';
import { type ModelEnv, providerDefaults } from '../models/endpoint.ts';
import { asResponse } from '../models/gateway/response-shape.ts';
import { hostModel } from '../models/keys/host-model.ts';
import { ProviderClients } from '../models/keys/provider-clients.ts';
import type { Model, ModelCall, ModelRequest } from '../models/model.ts';
import { createModel, refusedSettings, resolveModel, withCredentials } from '../models/resolve.ts';
import { defaultRetryPolicy } from '../models/retry.ts';
import type { ModelDelta, ModelResponse } from '../protocol/model-messages.ts';
import type { ModelSpec } from '../protocol/model-spec.ts';
import { CassetteWriter } from './cassette-file.ts';
import { cassetteVersion, type ExchangeAnswer, responseSchema } from './cassette-line.ts';
import { checkRecordOptions, type RecordOptions } from './cassette-options.ts';
import { digestOf, type Mask, normalised, withTexts } from './cassette-request.ts';

/** No recording waits for a provider that is down. */
const noReports = { onOutage: () => {}, onOutageWait: () => {} };

type Source = {
  /** What is known of the model before the first request. */
  readonly facts: Pick<Model, 'id' | 'maxOutputTokens' | 'refusedSettings' | 'price'>;
  /** What answers; asked for once, at the first request. */
  readonly open: (clock: Clock) => Model;
  readonly secrets: readonly string[];
};

/**
 * A model that answers as `model` does and keeps every exchange of its agents in a cassette, for `replayed` to answer
 * from. `model` is whatever the option `model` of a supervisor takes; one of a provider runs on the host here, with its
 * key from the endpoint or the environment, in the line that retries and waits as the gateway's does. No key and no
 * header enters the file. Throws at once: `cassette_refused` when the file is there and `overwrite` is not set, and what
 * a supervisor throws for a bad model.
 *
 * Each exchange is one line, in the file before its agent has the answer: nothing is to be flushed or closed. A failed
 * exchange is kept as its failure, one that was interrupted as `aborted`. One recorder writes a file, and agents with
 * models of their own are not on the cassette of their parent's.
 *
 * @example
 * ```js
 * import { readFileSync } from 'node:fs';
 * import { createSupervisor } from 'troupe';
 * import { recorded, scripted } from 'troupe/testing';
 *
 * // A test has 'anthropic:claude-sonnet-5' here, and records only on request.
 * const real = scripted({ default: [{ text: 'Good morning.' }] });
 * const model = recorded(real, { file: 'cassettes/greeting.jsonl' });
 * const supervisor = createSupervisor({ model });
 * try {
 *   await supervisor.delegate({ goal: 'Greet.', name: 'greeter' });
 * } finally {
 *   await supervisor.close();
 * }
 * const [header, exchange] = readFileSync('cassettes/greeting.jsonl', 'utf8').split('\n');
 * console.log(header); // → {"cassette":1,"model":"scripted","price":0}
 * const { path, turn, response } = JSON.parse(exchange);
 * console.log(path, turn, response.content[0].text); // → /greeter 1 Good morning.
 * ```
 */
export function recorded(model: SingleModelRef, options: RecordOptions): Model {
  const { file, mask, overwrite } = checkRecordOptions(options);
  const { facts, open, secrets } = sourceOf(model, process.env);
  const { id, maxOutputTokens, refusedSettings: refused, price } = facts;
  const known = {
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(refused === undefined ? {} : { refusedSettings: refused }),
    ...(price === undefined ? {} : { price }),
  };
  const writer = new CassetteWriter(
    file,
    { cassette: cassetteVersion, model: id, ...known },
    overwrite,
  );
  let clock: Clock = systemClock;
  let source: Model | null = null;
  return {
    id,
    ...known,
    // It is the recorded one that is retried: one exchange of the cassette may be several requests.
    retry: false,
    useClock: (given) => {
      clock = given;
    },
    respond: (request, call) => {
      source ??= open(clock);
      return record({ model: source, writer, secrets, mask }, request, call);
    },
  };
}

function sourceOf(model: unknown, env: ModelEnv): Source {
  const route = resolveModel(model);
  const secrets = Object.values(providerDefaults).map(({ keyVariable }) => env[keyVariable] ?? '');
  if (route.route === 'host') {
    const { model: host } = route;
    return {
      facts: host,
      open: (clock) => {
        host.useClock?.(clock);
        const policy = defaultRetryPolicy;
        return hostModel(host, { ...noReports, clock, random: systemRandom, policy }).model;
      },
      secrets: hiddenKeys(secrets),
    };
  }
  const spec = withCredentials(route.spec, env);
  const { id, maxOutputTokens, price } = createModel(spec);
  return {
    facts: {
      id,
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      ...(price === undefined ? {} : { price }),
      refusedSettings: refusedSettings({ route: 'gateway', spec }),
    },
    open: (clock) => providerModel(spec, clock),
    secrets: hiddenKeys([...secrets, spec.type === 'offline' ? '' : (spec.apiKey ?? '')]),
  };
}

/** A provider's model as agents see it: one exchange of the cassette may be several requests on the wire. */
function providerModel(spec: ModelSpec, clock: Clock): Model {
  const scheduler = new ProviderClients({
    ...noReports,
    clock,
    random: systemRandom,
    onRotated: () => {},
  });
  return scheduler.modelsFor([{ spec }], { token: 'recorder', agentId: 'recorder' })[0];
}

type Recording = {
  readonly model: Model;
  readonly writer: CassetteWriter;
  readonly secrets: readonly string[];
  readonly mask: Mask | undefined;
};

async function record(
  { model, writer, secrets, mask }: Recording,
  request: ModelRequest,
  call: ModelCall,
): Promise<ModelResponse> {
  const { agent, turn } = request;
  const clear = cleared(secrets);
  const asked = normalised(request, (text) => clear(mask?.(text) ?? text));
  const deltas: ModelDelta[] = [];
  const keep = (answer: ExchangeAnswer): void => {
    const streamed = deltas.length === 0 ? {} : { deltas: withTexts(deltas, clear) };
    writer.append({
      agent: agent.name,
      path: agent.path,
      turn,
      digest: digestOf(asked),
      request: asked,
      ...streamed,
      ...withTexts(answer, clear),
    });
  };
  let response: ModelResponse;
  try {
    const reply = await model.respond(request, following(call, deltas));
    response = checked(asResponse(reply, model, request));
    // The agent does not receive an answer that comes after the abort.
    if (call.signal.aborted) throw new TroupeError('aborted', 'the model call was aborted');
  } catch (error) {
    const failure = toFailure(error, 'model_failed');
    keep({ failure });
    throw TroupeError.from(failure);
  }
  keep({ response });
  return response;
}

/** Takes every key that is known out of a text. */
function cleared(secrets: readonly string[]): Mask {
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '[key]'), text);
}

/** The call with its deltas kept, pieces of one kind joined. */
function following(call: ModelCall, deltas: ModelDelta[]): ModelCall {
  return {
    signal: call.signal,
    onDelta: (delta) => {
      const last = deltas.at(-1);
      if (last?.type === delta.type) {
        deltas[deltas.length - 1] = { type: delta.type, text: last.text + delta.text };
      } else deltas.push(delta);
      call.onDelta(delta);
    },
    onResponse: (status, headers) => call.onResponse?.(status, headers),
    onOutput: (chars) => call.onOutput?.(chars),
    onUsage: (usage) => call.onUsage?.(usage),
    onBroken: () => call.onBroken?.(),
  };
}

/** A model object of the service may answer with anything; what could not be replayed is no response. */
function checked(response: ModelResponse): ModelResponse {
  const result = responseSchema.safeParse(response);
  if (result.success) return response;
  const [issue] = result.error.issues;
  const message = `the response cannot be recorded: ${issue?.path.join('.')}: ${issue?.message}`;
  throw new TroupeError('model_bad_response', message);
}
