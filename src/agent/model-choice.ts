// Owns the check of a model choice: the shape of an endpoint, field by field. What it means is resolved elsewhere.
import { z } from 'zod';
import { firstFault } from '../base/option-faults.ts';
import type { ModelEndpoint } from '../models/endpoint.ts';
import type { Model } from '../models/model.ts';
import type { AiSdkModel } from '../models/providers/ai-sdk.ts';
import { isEndpoint } from '../models/resolve.ts';
import { apiModes, providers } from '../protocol/model-spec.ts';
import type { ModelPrice } from '../protocol/price.ts';

type Choice = string | Model | AiSdkModel | ModelEndpoint;

const text = z.string().min(1);

const endpointSchema = z.strictObject({
  provider: z.enum(providers).optional(),
  model: text.optional(),
  baseUrl: text.optional(),
  apiKey: z
    .string()
    .refine((key) => key.trim() !== '', 'expected a key that is not blank')
    .optional(),
  apiMode: z.enum(['', ...apiModes]).optional(),
  apiVersion: z.literal('2023-06-01').optional(),
});

const dollars = z.number().nonnegative();

export const modelPriceSchema: z.ZodType<ModelPrice> = z.union(
  [
    z.literal(0),
    z
      .strictObject({
        inputPerMTok: dollars,
        outputPerMTok: dollars,
        cacheReadPerMTok: dollars.optional(),
        cacheWritePerMTok: dollars.optional(),
      })
      // What is left out is left out: a field that is undefined would be a price of its own.
      .transform((price) => price as Exclude<ModelPrice, 0>),
  ],
  {
    error:
      'expected 0, or { inputPerMTok, outputPerMTok, cacheReadPerMTok?, cacheWritePerMTok? } in US dollars per million tokens',
  },
);

/** Texts, endpoints and objects that answer; an endpoint that is wrong is refused by its own field. */
const choiceSchema: z.ZodType<Choice> = z
  .custom<Choice>(
    (value) => (typeof value === 'string' ? value !== '' : typeof value === 'object' && !!value),
    "expected a model: 'anthropic:<model id>', 'openai:<model id>', 'offline', an endpoint, or an object that answers",
  )
  .superRefine((value, context) => {
    if (typeof value === 'object' && 'respond' in value && value.price !== undefined) {
      const { error } = modelPriceSchema.safeParse(value.price);
      for (const { message } of error?.issues ?? []) {
        context.addIssue({ code: 'custom', message, path: ['price'] });
      }
    }
    if (!isEndpoint(value)) return;
    const fault = firstFault(endpointSchema, value);
    if (fault === null) return;
    const { path, isUnknown, why } = fault;
    const message = isUnknown ? `an endpoint has no such field; ${why}` : why;
    context.addIssue({ code: 'custom', message, path: [...path] });
  });

const listSchema = z.array(choiceSchema).min(1, 'expected at least one model');

/** One of these, or a list of them. */
export const modelRefSchema: z.ZodType<Choice | readonly Choice[]> = z
  .unknown()
  .superRefine((value, context) => {
    const { error } = (Array.isArray(value) ? listSchema : choiceSchema).safeParse(value);
    for (const { message, path } of error?.issues ?? []) {
      context.addIssue({ code: 'custom', message, path: [...path] });
    }
  }) as z.ZodType<Choice | readonly Choice[]>;
