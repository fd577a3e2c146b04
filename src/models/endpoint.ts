// Owns what an endpoint is: which API its address speaks, and which key may go there. Pure; opens no connection.
import { describe, TroupeError } from '../base/failures.ts';
import { type ApiMode, type Provider, providers } from '../protocol/model-spec.ts';

/**
 * A model by what it is made of. What is left out is taken from the model that it replaces: that of the parent, or the
 * supervisor's. `baseUrl` wins over `provider`, and needs a key of its own: a key goes to its own host only.
 */
export type ModelEndpoint = {
  /** Whose API and which key variable it uses. */
  readonly provider?: Provider;
  /** The model's name, as the provider knows it. */
  readonly model?: string;
  /** Where the API is; for those of OpenAI's making with its version, `https://host/v1`. */
  readonly baseUrl?: string;
  /** Default: that of the provider's environment variable. */
  readonly apiKey?: string;
  /** Left out or empty: derived from the address. What is given wins. */
  readonly apiMode?: ApiMode | '';
  /** For endpoints that speak an older version of Anthropic's API only. */
  readonly apiVersion?: '2023-06-01';
};

/** The environment variables that keys and addresses are taken from. */
export type ModelEnv = Readonly<Record<string, string | undefined>>;

type ProviderDefaults = {
  readonly keyVariable: string;
  readonly addressVariable: string;
  readonly address: string;
  readonly apiMode: ApiMode;
};

/** Where each provider is at home. */
export const providerDefaults: Readonly<Record<Provider, ProviderDefaults>> = {
  anthropic: {
    keyVariable: 'ANTHROPIC_API_KEY',
    addressVariable: 'ANTHROPIC_BASE_URL',
    address: 'https://api.anthropic.com',
    apiMode: 'anthropic_messages',
  },
  openai: {
    keyVariable: 'OPENAI_API_KEY',
    addressVariable: 'OPENAI_BASE_URL',
    address: 'https://api.openai.com/v1',
    apiMode: 'codex_responses',
  },
};

/** Hosts that are known by name; matched whole, so that no look-alike is one. */
const modeOfHost: Readonly<Record<string, ApiMode>> = {
  'api.anthropic.com': 'anthropic_messages',
  'api.openai.com': 'codex_responses',
  'us.api.openai.com': 'codex_responses',
  'eu.api.openai.com': 'codex_responses',
  'api.x.ai': 'codex_responses',
};

/**
 * The API that an address speaks: known hosts, then that of Anthropic where it is named as the provider, or where the
 * path ends in `/anthropic`, else Chat Completions, which servers of OpenAI's kind have in common.
 */
export function detectApiMode(baseUrl: string, provider?: string): ApiMode {
  const { hostname, pathname } = new URL(baseUrl);
  const known = modeOfHost[hostname];
  if (known !== undefined) return known;
  if (provider === 'anthropic') return providerDefaults.anthropic.apiMode;
  const path = pathname.toLowerCase().replace(/\/+$/, '');
  return path.endsWith('/anthropic') ? 'anthropic_messages' : 'chat_completions';
}

/** An address with the API it speaks. */
type Root = { readonly apiMode: ApiMode; readonly baseUrl?: string };

/**
 * Where the SDK of the API finds it. Without an address it is at home; an API that is not its provider's usual one is
 * still at the provider's own address, and nowhere else.
 */
export function rootOf(
  provider: Provider | 'custom',
  { baseUrl, apiMode }: { readonly [Key in keyof Root]?: Root[Key] | undefined },
): Root {
  const own = provider === 'custom' ? null : providerDefaults[provider];
  const address = baseUrl ?? own?.address ?? '';
  const mode = apiMode ?? detectApiMode(address, provider);
  const isUsual = baseUrl === undefined && mode === own?.apiMode;
  return isUsual ? { apiMode: mode } : { apiMode: mode, baseUrl: rootFor(mode, address) };
}

/** Anthropic's SDK brings the version of the path itself, OpenAI's expects it in the address. */
function rootFor(apiMode: ApiMode, address: string): string {
  const root = address.replace(/\/+$/, '');
  if (apiMode === 'anthropic_messages') return root.replace(/\/v1$/, '');
  return new URL(root).pathname === '/' ? `${root}/v1` : root;
}

/** The provider whose own host this is, or `custom`. */
export function providerOf(baseUrl: string): Provider | 'custom' {
  const { origin } = new URL(baseUrl);
  return (
    providers.find((name) => new URL(providerDefaults[name].address).origin === origin) ?? 'custom'
  );
}

/** Throws `invalid_options` for what is no address of an API. The error never contains a password. */
export function checkAddress(field: string, baseUrl: string): void {
  if (!URL.canParse(baseUrl)) refuse(field, 'a URL', describe(baseUrl));
  const { protocol, username, password, host } = new URL(baseUrl);
  const isHttp = protocol === 'https:' || protocol === 'http:';
  if (!isHttp) refuse(field, 'a URL of http or https', protocol);
  if (username !== '' || password !== '') refuse(field, 'a URL without a password', host);
}

function refuse(field: string, wanted: string, got: string): never {
  throw new TroupeError('invalid_options', `${field} must be ${wanted}; got ${got}`, {
    detail: { field },
  });
}

/** Anthropic's keys show their provider. */
const keyPrefixes: readonly (readonly [prefix: string, provider: Provider])[] = [
  ['sk-ant-', 'anthropic'],
];

/** Throws `model_key_wrong_host` when this key is known to belong to another host than the one it would go to. */
export function checkKeyHost(apiKey: string, baseUrl: string, env: ModelEnv): void {
  const { origin, host } = new URL(baseUrl);
  for (const name of providers) {
    const own = originOf(name, env);
    if (env[providerDefaults[name].keyVariable]?.trim() === apiKey && own !== origin) {
      wrongHost(
        `the key of ${providerDefaults[name].keyVariable} belongs to ${new URL(own).host}`,
        host,
      );
    }
  }
  const owner = keyPrefixes.find(([prefix]) => apiKey.startsWith(prefix))?.[1];
  const target = providerOf(baseUrl);
  if (owner !== undefined && target !== 'custom' && target !== owner) {
    wrongHost(`the key is one of ${owner}`, host);
  }
}

function wrongHost(why: string, host: string): never {
  const message = `${why} and is not sent to ${host}; give that endpoint a key of its own`;
  throw new TroupeError('model_key_wrong_host', message, { detail: { host } });
}

/** The key in the environment that is at home at this address; undefined when none is. */
export function keyFor(baseUrl: string, env: ModelEnv): string | undefined {
  const { origin } = new URL(baseUrl);
  const owner = providers.find((name) => {
    const key = env[providerDefaults[name].keyVariable]?.trim() ?? '';
    return key !== '' && originOf(name, env) === origin;
  });
  return owner === undefined ? undefined : env[providerDefaults[owner].keyVariable]?.trim();
}

/** Where a provider's key is at home: the address its variable names, or the provider's own. */
function originOf(name: Provider, env: ModelEnv): string {
  const { address, addressVariable } = providerDefaults[name];
  const set = env[addressVariable] ?? '';
  return new URL(URL.canParse(set) ? set : address).origin;
}

/** True for a key that is the value of a variable of the environment. */
export function isKeyOf(apiKey: string, env: ModelEnv): boolean {
  return providers.some((name) => env[providerDefaults[name].keyVariable]?.trim() === apiKey);
}
