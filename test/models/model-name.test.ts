// Keeps the names of models that editors complete those of the installed SDK; the compiler checks it.
import type { Model } from '@anthropic-ai/sdk/resources/messages';
import { expect, expectTypeOf, it } from 'vitest';
import type { ModelName } from '#src/models/model-name.js';

/** Its members that are one text each, without what stands for any text. */
type Listed<Name> = Name extends string ? (string extends Name ? never : Name) : never;

it('completes the models that the SDK of Anthropic knows, and takes any other name', () => {
  expectTypeOf<Listed<ModelName>>().toEqualTypeOf<'offline' | `anthropic:${Listed<Model>}`>();

  const other: ModelName = 'openai:some-model';
  expect(other).toBe('openai:some-model');
});
