// Owns what the lines of a cassette are, and the check of one that was read. Opens no file.
import { z } from 'zod';
import { modelPriceSchema } from '../agent/model-choice.ts';
import { type Failure, failureCodes } from '../base/failures.ts';
import type { SettingName } from '../models/model.ts';
import { anyBlock } from '../protocol/block-schema.ts';
import { stopReasons } from '../protocol/history.ts';
import type { ModelDelta, ModelResponse } from '../protocol/model-messages.ts';
import type { ModelPrice } from '../protocol/price.ts';
import type { CassetteRequest } from './cassette-request.ts';

/** The version of cassettes that are written, and the only one that is read. */
export const cassetteVersion = 1;

/** The first line: the properties of the recorded model, so that a replay is admitted and budgeted as the run was. */
export type CassetteHeader = {
  readonly cassette: typeof cassetteVersion;
  readonly model: string;
  readonly maxOutputTokens?: number;
  readonly refusedSettings?: readonly SettingName[];
  readonly price?: ModelPrice;
};

/** Every other line: who asked what, and how it was answered. */
export type CassetteExchange = {
  readonly agent: string;
  readonly path: string;
  readonly turn: number;
  readonly digest: string;
  readonly request: CassetteRequest;
  /** What was streamed, pieces of one kind joined. */
  readonly deltas?: readonly ModelDelta[];
} & ExchangeAnswer;

/** How a model answered; `aborted` is the failure of a call that was given up. */
export type ExchangeAnswer =
  | { readonly response: ModelResponse; readonly failure?: never }
  | { readonly failure: Failure; readonly response?: never };

const count = z.number().nonnegative();

export const responseSchema = z.object({
  content: z.array(anyBlock),
  stopReason: z.enum(stopReasons),
  usage: z.object({
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
  }),
  isEstimated: z.boolean(),
  model: z.string(),
  refusalCategory: z.string().optional(),
});

const failureSchema = z.object({
  code: z.enum(failureCodes),
  message: z.string(),
  retryable: z.boolean(),
  detail: z.record(z.string(), z.unknown()).optional(),
});

export const headerSchema = z.strictObject({
  cassette: z.literal(cassetteVersion),
  model: z.string(),
  maxOutputTokens: count.optional(),
  refusedSettings: z
    .array(z.enum(['temperature', 'topP', 'effort', 'toolChoice', 'outputFormat']))
    .optional(),
  price: modelPriceSchema.optional(),
});

const asked = {
  agent: z.string(),
  path: z.string(),
  turn: z.number().int().positive(),
  digest: z.string(),
  request: z.strictObject({
    system: z.string(),
    tools: z.array(z.looseObject({ name: z.string() })),
    settings: z.record(z.string(), z.unknown()).optional(),
    messages: z.array(
      z.object({ role: z.enum(['user', 'assistant']), content: z.array(anyBlock) }),
    ),
  }),
  deltas: z.array(z.object({ type: z.enum(['text', 'thinking']), text: z.string() })).optional(),
};

export const exchangeSchema = z.union([
  z.strictObject({ ...asked, response: responseSchema }),
  z.strictObject({ ...asked, failure: failureSchema }),
]);
