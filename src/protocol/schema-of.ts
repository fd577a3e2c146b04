// Owns the compiler's check that a schema and the type of its message say the same, where threads need the type alone.
import type { z } from 'zod';

/** Optional fields as fields that may be undefined, so that a schema without one differs from its type. */
type Spelled<T> = unknown extends T
  ? unknown
  : T extends readonly (infer Item)[]
    ? readonly Spelled<Item>[]
    : T extends object
      ? {
          readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K>
            ? Spelled<T[K]> | undefined
            : Spelled<T[K]>;
        }
      : T;

type IsPartOf<A, B> = [Spelled<A>] extends [Spelled<B>] ? true : false;

type IsSame<A, B> = IsPartOf<A, B> extends true ? IsPartOf<B, A> : false;

/** The schema as one of the message. It does not compile unless each has exactly the fields of the other. */
export function schemaOf<Message>() {
  return <Schema extends z.ZodType>(
    schema: Schema & (IsSame<Message, z.infer<Schema>> extends true ? unknown : never),
  ): z.ZodType<Message> =>
    // They differ in `readonly` and in `undefined` for a missing field only.
    schema as unknown as z.ZodType<Message>;
}

/** The schema of a message that admits more than its type. It does not compile unless it takes every value of the type. */
export function openSchemaOf<Message>() {
  return <Schema extends z.ZodType>(
    schema: Schema & (IsPartOf<Message, z.infer<Schema>> extends true ? unknown : never),
  ): z.ZodType<Message> =>
    // Each use says what more it admits, and why that may pass for the type.
    schema as unknown as z.ZodType<Message>;
}
