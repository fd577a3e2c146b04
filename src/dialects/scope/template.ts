// Owns prompt templates: `${key}` replaced by what the context holds, every missing key named at once (B9, B10). Pure.
import { TroupeError } from '../../errors.ts';
import type { ContextState } from './context-state.ts';

const placeholder = /\$\{(\w+)\}/g;

/** The text with every `${key}` replaced. Throws `invalid_options` naming all keys that the context does not have. */
export function renderTemplate(template: string, context: ContextState): string {
  const known = new Set(context.get_keys());
  const asked = [...template.matchAll(placeholder)].map(([, key = '']) => key);
  const missing = [...new Set(asked)].filter((key) => !known.has(key));
  if (missing.length > 0) {
    const keys = missing.join(', ');
    throw new TroupeError('invalid_options', `the prompt needs what the context lacks: ${keys}`, {
      detail: { missing },
    });
  }
  return template.replace(placeholder, (_whole, key: string) => String(context.get(key)));
}
