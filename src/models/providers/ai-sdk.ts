// Owns the way to models of the Vercel AI SDK, recognised by their structure: versions 2, 3 and 4 of its specification.

import { unlessAborted } from '../../base/with-abort.ts';
import type { ModelResponse } from '../../protocol/model-messages.ts';
import type { Model, ModelCall, ModelRequest } from '../model.ts';
import { checkSettings } from '../settings.ts';
import { aborted } from './adapter-failure.ts';
import { AiSdkAnswer } from './ai-sdk-answer.ts';
import { translateAiSdk } from './ai-sdk-failure.ts';
import { type AiSdkVersion, toCallOptions } from './ai-sdk-prompt.ts';

type AiSdkStream = {
  readonly stream: ReadableStream<unknown>;
  readonly response?: { readonly headers?: Readonly<Record<string, string>> };
};

/** What is used of a language model of the AI SDK; the objects of its providers have it. */
export interface AiSdkModel {
  /** `v2`, `v3` or `v4`. */
  readonly specificationVersion: AiSdkVersion;
  /** The provider's name in the AI SDK. */
  readonly provider: string;
  /** The model's name, as the provider knows it. */
  readonly modelId: string;
  /** Its options are those of its specification, which no type of ours can name for three versions. */
  doStream(options: never): PromiseLike<AiSdkStream>;
}

const versions: readonly unknown[] = ['v2', 'v3', 'v4'] satisfies AiSdkVersion[];

export function isAiSdkModel(value: unknown): value is AiSdkModel {
  if (typeof value !== 'object' || value === null) return false;
  const { specificationVersion, provider, modelId, doStream } = value as Partial<AiSdkModel>;
  if (!versions.includes(specificationVersion) || typeof doStream !== 'function') return false;
  return typeof provider === 'string' && typeof modelId === 'string';
}

/**
 * The model as one of ours. It runs on the host, with its own keys and its own fetch; it is not asked twice for one
 * call. Versions 2 and 3 have no setting for `effort` and refuse it.
 */
export function aiSdk(model: AiSdkModel): Model {
  const id = `${model.provider}:${model.modelId}`;
  const refused = model.specificationVersion === 'v4' ? [] : (['effort'] as const);
  return {
    id,
    refusedSettings: refused,
    async respond(request, call) {
      checkSettings(id, request.settings ?? {}, refused);
      if (call.signal.aborted) throw aborted();
      try {
        return await ask(model, request, call);
      } catch (error) {
        throw translateAiSdk(error, call.signal);
      }
    },
  };
}

async function ask(
  model: AiSdkModel,
  request: ModelRequest,
  call: ModelCall,
): Promise<ModelResponse> {
  const { signal } = call;
  const options = toCallOptions(model.specificationVersion, request, signal);
  const begun = Promise.resolve(model.doStream(options as never));
  // A stream that arrives after its call was given up is cancelled; a failure of that is ignored.
  const giveUp = (): Error => {
    begun.then(({ stream }) => stream.cancel()).catch(() => {});
    return aborted();
  };
  // A model that ignores its signal must not block its caller.
  const { stream, response } = await unlessAborted(signal, begun, giveUp);
  const reader = stream.getReader();
  const answer = new AiSdkAnswer(model.modelId, request, typeOf(response?.headers));
  try {
    for (;;) {
      const { done, value } = await unlessAborted(signal, reader.read(), aborted);
      if (done) return answer.toResponse();
      answer.add(value, call);
    }
  } finally {
    // However the reading ended, the model's stream is cancelled; a failure of that is ignored.
    reader.cancel().catch(() => {});
  }
}

/** The content type of the provider's answer; empty for models that do not report it. */
function typeOf(headers: Readonly<Record<string, string>> = {}): string {
  return new Headers({ ...headers }).get('content-type') ?? '';
}
