// Owns a model as plain data: which provider's, over which API, with which key.

export const apiModes = ['chat_completions', 'codex_responses', 'anthropic_messages'] as const;

/** Which API is spoken, by the names of the source systems. */
export type ApiMode = (typeof apiModes)[number];

export const providers = ['anthropic', 'openai'] as const;

/** The providers that have an address and a variable for their key of their own. */
export type Provider = (typeof providers)[number];

/** A model behind an API, as plain data; complete when it has its credentials. */
export type RemoteSpec = {
  /** The provider that answers; `custom` for an address that is no provider's own. */
  readonly type: Provider | 'custom';
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly apiMode?: ApiMode;
  readonly apiVersion?: '2023-06-01';
  /** The endpoint of the pool whose keys it is asked under, instead of one of its own. */
  readonly pool?: string;
};

/** A model as plain data: what crosses to the gateway's thread. */
export type ModelSpec = { readonly type: 'offline' } | RemoteSpec;

/** A model that the gateway's thread builds. */
export type GatewayModel = {
  readonly spec: ModelSpec;
  /** Its key came with a task: it is forgotten when no run uses it. */
  readonly isOfTask?: true;
};
