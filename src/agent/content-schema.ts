// Owns the check of the blocks that a task gives beside its goal: texts and images that every provider takes.
import { z } from 'zod';
import { imageTypes, maxImageChars } from '../protocol/image.ts';

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

const data = z
  .string()
  .refine((value) => !value.startsWith('data:'), {
    error: 'expected base64 alone, without `data:…;base64,` before it',
    abort: true,
  })
  .refine((value) => base64.test(value), { error: 'expected base64', abort: true })
  .refine(
    ({ length }) => length <= maxImageChars,
    `expected at most ${maxImageChars.toLocaleString('en-US')} characters: make the image smaller`,
  );

const textBlock = z.strictObject({ type: z.literal('text'), text: z.string().min(1) });
/** What every provider takes of an image. */
export const imageSource = z.looseObject({
  type: z.literal('base64', 'expected base64: fetch or read the image first'),
  media_type: z.enum(imageTypes),
  data,
});
const imageBlock = z.strictObject({ type: z.literal('image'), source: imageSource });

export const contentSchema = z
  .array(z.discriminatedUnion('type', [textBlock, imageBlock]))
  .min(1)
  .max(1_000);
