// Owns the check of hooks as a program gives them.
import { z } from 'zod';
import { type HookReference, hooksFault } from './hooks.ts';

/** Hooks as a definition or a task names them; each issue names its field. */
export const hooksSchema = z
  .custom<HookReference | readonly HookReference[]>()
  .superRefine((value: unknown, context) => {
    const isMany = Array.isArray(value);
    for (const [at, reference] of (isMany ? value : [value]).entries()) {
      const fault = reference instanceof URL ? null : hooksFault(reference);
      if (fault === null) continue;
      const path = [...(isMany ? [at] : []), ...(fault.field === '' ? [] : [fault.field])];
      context.addIssue({ code: 'custom', message: fault.why, path });
    }
  });
