// Owns the host's end of a thread's service calls: Comlink behind an endpoint that passes one kind of call only.
// Leaves out what the services do.
import { type Endpoint, expose } from 'comlink';
import { z } from 'zod';
import { endlessness, maxInput } from '../base/endless.ts';
import { type Failure, failure, TroupeError, toFailure } from '../base/failures.ts';
import { openController } from '../base/when-aborted.ts';
import type { ServiceAnswer } from '../protocol/host-services.ts';

/** What each service is asked with, by its name; a name that is not here is no service. */
export type ServiceInputs = Readonly<Record<string, z.ZodType>>;

/** The services themselves; `signal` is aborted when the calling activation is over. */
export type Services<Inputs extends ServiceInputs> = {
  readonly [Name in keyof Inputs]: (
    input: z.infer<Inputs[Name]>,
    signal: AbortSignal,
  ) => Promise<unknown>;
};

type Service = (input: unknown, signal: AbortSignal) => Promise<unknown>;
type Methods = Readonly<Record<string, (input: unknown) => Promise<ServiceAnswer>>>;

/** The only Comlink message that passes: one own method of the table, one plain argument. */
const callMessage = z.strictObject({
  id: z.string(),
  type: z.literal('APPLY'),
  path: z.tuple([z.string()]),
  argumentList: z.tuple([z.strictObject({ type: z.literal('RAW'), value: z.unknown() })]),
});

type RpcServerOptions = {
  readonly post: (payload: unknown) => void;
  /** Called once for a message that is no permitted call; the link is closed by then. */
  readonly violated: (cause: Failure) => void;
};

/** What Comlink registers, in the browser's terms; it always passes a function. */
type EndpointListener = Parameters<Endpoint['addEventListener']>[1];

/**
 * Serves one activation. Comlink never sees a raw port: what reaches it was checked to be a call of one own method of a
 * frozen table without a prototype; anything else closes the link and counts as a crash (decision 3).
 */
export class RpcServer<Inputs extends ServiceInputs> {
  readonly #methods: Methods;
  readonly #options: RpcServerOptions;
  readonly #ended = openController();
  #listener: ((event: MessageEvent) => void) | null = null;
  #isClosed = false;

  /** `services` may have more methods than `inputs` names: only those of both can be called. */
  constructor(inputs: Inputs, services: Partial<Services<Inputs>>, options: RpcServerOptions) {
    this.#methods = methodsOf(inputs, services, this.#ended.signal);
    this.#options = options;
    expose(this.#methods, {
      postMessage: (payload: unknown) => {
        if (!this.#isClosed) options.post(payload);
      },
      addEventListener: (_type: string, listener: EndpointListener) => {
        if (typeof listener === 'function') this.#listener = listener;
      },
      // Comlink calls it for a message that does not pass.
      removeEventListener: () => {},
    });
  }

  /** A message of the activation's Comlink. */
  receive(payload: unknown): void {
    if (this.#isClosed) return;
    const call = callMessage.safeParse(payload);
    if (!call.success) {
      const text = 'a thread sent its services something else than a call';
      this.#violated(failure('protocol_violation', text));
      return;
    }
    const [name] = call.data.path;
    if (!Object.hasOwn(this.#methods, name)) {
      const text = `a thread called ${JSON.stringify(name)}, which is no service`;
      this.#violated(failure('unknown_service', text));
      return;
    }
    this.#listener?.(new MessageEvent('message', { data: call.data }));
  }

  /** The activation is over: aborts the signal of running services; their answers are dropped. */
  close(reason: Failure): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listener = null;
    this.#ended.abort(reason);
  }

  #violated(cause: Failure): void {
    this.close(cause);
    this.#options.violated(cause);
  }
}

/** What Comlink may call: services never throw across the boundary. */
function methodsOf<Inputs extends ServiceInputs>(
  inputs: Inputs,
  services: Partial<Services<Inputs>>,
  signal: AbortSignal,
): Methods {
  const methods: Record<string, Methods[string]> = Object.create(null);
  for (const [name, schema] of Object.entries<z.ZodType>(inputs)) {
    // The schema of the same name makes what the service is called with.
    const service = services[name as keyof Inputs]?.bind(services) as Service | undefined;
    if (service === undefined) continue;
    methods[name] = async (input) => {
      try {
        return { ok: true, value: await service(parsed(schema, input), signal) };
      } catch (error) {
        return { ok: false, failure: toFailure(error, 'internal') };
      }
    };
  }
  return Object.freeze(methods);
}

function parsed(schema: z.ZodType, input: unknown): unknown {
  const why = endlessness(input, maxInput);
  if (why !== null) {
    throw new TroupeError('not_serializable', `what a service was asked with is ${why}`);
  }
  const { success, data, error } = schema.safeParse(input);
  if (success) return data;
  const [issue] = error.issues;
  const where = issue === undefined ? '' : `${issue.path.join('.')}: ${issue.message}`;
  throw new TroupeError('protocol_violation', `a service call was malformed (${where})`);
}
