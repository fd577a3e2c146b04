// Owns the `web_search` tool: a provider of the program asked, its hits checked and shown.
import { describe, TroupeError } from '../../../base/failures.ts';
import { isRecord } from '../../../base/is-record.ts';
import { defineTool } from '../../define-tool.ts';
import type { AnyTool } from '../../tool.ts';
import { objectSchema, optional, text, whole } from '../object-schema.ts';

/** One page a search found. */
export type SearchHit = {
  /** The title of the page. */
  readonly title: string;
  /** Its address. */
  readonly url: string;
  /** A few words of the page. */
  readonly snippet?: string;
};

/** Searches the web; the program brings it, with its own key. `signal` aborts when the call is given up. */
export type SearchProvider = (
  query: string,
  options: { readonly limit: number; readonly signal: AbortSignal },
) => Promise<readonly SearchHit[]>;

const usualHits = 8;
const maxHits = 20;

export function searchTool(search: SearchProvider): AnyTool {
  return defineTool({
    name: 'web_search',
    description: 'Searches the web. Answers titles, addresses and a few words of each page.',
    input: objectSchema({
      query: text('What to search for.'),
      limit: optional(whole(`Most pages to name. Default: ${usualHits}.`, 1, maxHits)),
    }),
    idempotent: true,
    tags: ['web', 'network'],
    async run({ query, limit = usualHits }, { signal }) {
      const hits: unknown = await search(query, { limit, signal });
      if (!Array.isArray(hits) || !hits.every(isHit)) {
        throw new TroupeError('web_failed', `the search answered ${describe(hits)}`);
      }
      if (hits.length === 0) return 'nothing found';
      return hits.slice(0, limit).map(shown).join('\n');
    },
  });
}

function isHit(value: unknown): value is SearchHit {
  if (!isRecord(value)) return false;
  const { title, url, snippet } = value;
  const isText = snippet === undefined || typeof snippet === 'string';
  return typeof title === 'string' && typeof url === 'string' && isText;
}

function shown({ title, url, snippet }: SearchHit, index: number): string {
  const lines = [`${index + 1}. ${title}`, `   ${url}`];
  if (snippet !== undefined) lines.push(`   ${snippet}`);
  return lines.join('\n');
}
