// Keeps the names of models that editors complete those of the installed SDKs; the compiler checks it.
import type { Model } from '@anthropic-ai/sdk/resources/messages';
import type { ChatModel } from 'openai/resources/shared';
import { expect, expectTypeOf, it } from 'vitest';
import type { ModelName } from '#src/models/model-name.js';

/** Its members that are one text each, without what stands for any text. */
type Listed<Name> = Name extends string ? (string extends Name ? never : Name) : never;

/** The ids of a provider's models among those names. */
type IdsOf<Provider extends string> =
  Listed<ModelName> extends infer Name
    ? Name extends `${Provider}:${infer Id}`
      ? Id
      : never
    : never;

/** Members without a date, and without what is for sounds, searches or tests. */
type Plain<Id extends string> = Id extends `${string}-20${number}-${string}` | `${string}-latest`
  ? never
  : Id;

it('completes the models that the SDK of Anthropic knows, and takes any other name', () => {
  expectTypeOf<IdsOf<'anthropic'>>().toEqualTypeOf<Listed<Model>>();
  expectTypeOf<Exclude<Listed<ModelName>, `${string}:${string}`>>().toEqualTypeOf<'offline'>();

  const other: ModelName = 'openai:some-model';
  expect(other).toBe('openai:some-model');
});

it('completes the newer models that the SDK of OpenAI knows', () => {
  expectTypeOf<IdsOf<'openai'>>().toExtend<ChatModel>();
  expectTypeOf<Extract<Plain<ChatModel>, `gpt-5${string}`>>().toExtend<IdsOf<'openai'>>();
});
