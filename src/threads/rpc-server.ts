// Owns the host's end of a thread's service calls: Comlink behind an endpoint that passes one kind of call only.
// Leaves out what the services do.
import { type Endpoint, expose } from 'comlink';
import { z } from 'zod';
import { endlessness, maxInput } from '../base/endless.ts';
import { type Failure, failure, toFailure } from '../base/failures.ts';
import { openController } from '../base/when-aborted.ts';
import { serviceInputs } from '../protocol/host-service-schema.ts';
import type { HostServices, ServiceAnswer } from '../protocol/host-services.ts';

/** What each service is asked with, by its name; a name that is not here is no service. */
export type ServiceInputs = Readonly<Record<string, z.ZodType>>;

/** The services themselves; `signal` is aborted when the calling activation is over. */
export type Services<Inputs extends ServiceInputs> = {
  readonly [Name in keyof Inputs]: (
    input: z.infer<Inputs[Name]>,
    signal: AbortSignal,
  ) => Promise<unknown>;
};

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
type Listener = (event: MessageEvent) => void;

/**
 * Serves one activation. Comlink never sees a raw port: what reaches it was checked to be a call of one own method of a
 * frozen table without a prototype; anything else closes the link and counts as a crash (decision 3).
 */
export class RpcServer<Inputs extends ServiceInputs> {
  readonly #services: Services<Inputs>;
  readonly #around: RpcServerOptions;
  readonly #ended = openController();
  readonly #methods: Readonly<Record<string, (input: unknown) => Promise<ServiceAnswer>>>;
  readonly #listeners = new Set<Listener>();
  #isClosed = false;

  /** `services` may have more methods than `inputs` names: only those can be called. */
  constructor(inputs: Inputs, services: Services<Inputs>, around: RpcServerOptions) {
    this.#services = services;
    this.#around = around;
    const methods: Record<string, (input: unknown) => Promise<ServiceAnswer>> = Object.create(null);
    for (const [name, schema] of Object.entries(inputs)) {
      methods[name] = (input) => this.#serve(name, schema, input);
    }
    this.#methods = Object.freeze(methods);
    expose(this.#methods, {
      postMessage: (payload: unknown) => {
        if (!this.#isClosed) around.post(payload);
      },
      addEventListener: (_type: string, listener: EndpointListener) => {
        if (typeof listener === 'function') this.#listeners.add(listener);
      },
      removeEventListener: (_type: string, listener: EndpointListener) => {
        if (typeof listener === 'function') this.#listeners.delete(listener);
      },
    });
  }

  /** A message of the activation's Comlink. */
  receive(payload: unknown): void {
    if (this.#isClosed) return;
    const call = callMessage.safeParse(payload);
    if (!call.success) {
      this.#violate(
        failure('protocol_violation', 'a thread sent its services something else than a call'),
      );
      return;
    }
    const [name] = call.data.path;
    if (!Object.hasOwn(this.#methods, name)) {
      this.#violate(
        failure('unknown_service', `a thread called ${JSON.stringify(name)}, which is no service`),
      );
      return;
    }
    for (const listener of this.#listeners)
      listener(new MessageEvent('message', { data: call.data }));
  }

  /** The activation is over: aborts the signal of running services; their answers are dropped. */
  close(reason: Failure): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listeners.clear();
    this.#ended.abort(reason);
  }

  #violate(cause: Failure): void {
    this.close(cause);
    this.#around.violated(cause);
  }

  async #serve(name: keyof Inputs, schema: z.ZodType, input: unknown): Promise<ServiceAnswer> {
    const why = endlessness(input, maxInput);
    if (why !== null) {
      return {
        ok: false,
        failure: failure('not_serializable', `what a service was asked with is ${why}`),
      };
    }
    const parsed = schema.safeParse(input);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const where = issue === undefined ? '' : `${issue.path.join('.')}: ${issue.message}`;
      return {
        ok: false,
        failure: failure('protocol_violation', `a service call was malformed (${where})`),
      };
    }
    try {
      // The schema of the same name made the value.
      const asked = parsed.data as z.infer<Inputs[keyof Inputs]>;
      return { ok: true, value: await this.#services[name](asked, this.#ended.signal) };
    } catch (error) {
      return { ok: false, failure: toFailure(error, 'internal') };
    }
  }
}

/** What an activation's messages to its services go to. */
export type ServedLink = Pick<RpcServer<ServiceInputs>, 'receive' | 'close'>;

/** Serves what an agent's thread may call, and nothing where there are no services. */
export function serveHost(
  services: HostServices | undefined,
  around: RpcServerOptions,
): ServedLink {
  return services === undefined
    ? new RpcServer({}, {}, around)
    : new RpcServer(serviceInputs, services, around);
}
