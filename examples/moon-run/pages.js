// What the two subagents look into: a small web of two pages, searched and fetched by tools.
import { defineTool } from 'troupe';
import { z } from 'zod';

const pages = {
  'https://records.example/marathon':
    'Eliud Kipchoge ran the marathon, 42.195 km, in 2:01:09 in Berlin in 2022.',
  'https://moon.example/orbit':
    'The Moon is nearest to the Earth at its perigee: at the least about 363300 km, at apogee 405500 km.',
};

export const search = defineTool({
  name: 'search',
  description: 'Finds pages by words. Answers with addresses and first words.',
  input: z.object({ words: z.string() }),
  run({ words }) {
    const asked = words.toLowerCase().split(/\W+/);
    const found = Object.entries(pages).filter(([, text]) =>
      asked.some((word) => word.length > 3 && text.toLowerCase().includes(word)),
    );
    return found.map(([url, text]) => `${url}: ${text}`).join('\n') || 'Nothing was found.';
  },
});

/** With `isDown` a page never comes: only the time of whoever waits ends it. */
export const fetchPage = (isDown) =>
  defineTool({
    name: 'fetch_page',
    description: 'Fetches a page by its address.',
    input: z.object({ url: z.string() }),
    async run({ url }, { signal }) {
      if (isDown) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return pages[url] ?? 'There is no such page.';
    },
  });
