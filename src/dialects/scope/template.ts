// Owns prompt templates: `${key}` replaced by the context's value, every missing key named at once (B9, B10). Pure.
import { TroupeError } from '../../base/failures.ts';
import type { ContextState } from './context-state.ts';

const placeholder = /\$\{([^{}]+)\}/g;
/** What can only be meant as a key; anything else in braces may be part of the text, such as a piece of code. */
const plainKey = /^\w+$/;

/**
 * The text with every `${key}` replaced whose key the context has, whatever it is called. Throws `invalid_options` naming
 * all keys of letters, digits and `_` that it does not have.
 */
export function renderTemplate(template: string, context: ContextState): string {
  const known = new Set(context.get_keys());
  const asked = [...template.matchAll(placeholder)].map(([, key = '']) => key);
  const missing = [...new Set(asked)].filter((key) => !known.has(key) && plainKey.test(key));
  if (missing.length > 0) {
    const keys = missing.join(', ');
    throw new TroupeError('invalid_options', `the prompt needs what the context lacks: ${keys}`, {
      detail: { missing },
    });
  }
  return template.replace(placeholder, (whole, key: string) =>
    known.has(key) ? String(context.get(key)) : whole,
  );
}
