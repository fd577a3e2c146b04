// The three scripted models: what the host and its two subagents say, so that the example needs no network and no key.
import { scripted } from 'troupe/testing';

const orbit = 'https://moon.example/orbit';
const asksFetch = {
  toolCalls: [{ name: 'invoke_fetch', input: { query: `Perigee in ${orbit}?` } }],
};

const answer =
  'Kipchoge runs 42.195 km in 2:01:09, which is 20.9 km/h. ' +
  'For the 363300 km to the Moon at perigee he needs a little more than 17000 h. Rounded: 17000 hours.';
const apology =
  'The page with the distance did not come: the subagent fetch ran out of time, twice. ' +
  'I know how fast Kipchoge runs, and not how far he has to. Ask me again later.';

export function models(isFetchDown) {
  return {
    host: scripted({
      default: [
        {
          text: 'I need his record, and where the distance is written.',
          toolCalls: [
            {
              name: 'invoke_search',
              input: { query: 'Kipchoge’s marathon record, and a page with the Moon’s perigee.' },
            },
          ],
        },
        { text: 'Now the distance.', ...asksFetch },
        ...(isFetchDown
          ? [{ text: 'Once more.', ...asksFetch }, { text: apology }]
          : [{ text: answer }]),
      ],
    }),
    search: scripted({
      default: [
        { toolCalls: [{ name: 'search', input: { words: 'Kipchoge marathon Moon perigee' } }] },
        { text: `Kipchoge: 42.195 km in 2:01:09. The Moon’s perigee is in ${orbit}.` },
      ],
    }),
    fetch: scripted({
      default: [
        { toolCalls: [{ name: 'fetch_page', input: { url: orbit } }] },
        { text: 'At perigee the Moon is 363300 km away.' },
      ],
    }),
  };
}
