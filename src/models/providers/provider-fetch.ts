// Owns what a provider's API may answer: how much, cut off as it comes, before any client has gathered it, and what kind.
import { boundedFetch } from '../../base/bounded-body.ts';
import { EventStreamCheck } from './event-streams.ts';

/**
 * `fetch` for the clients of providers: 64 MiB of a stream, unpacked, and 8 MiB of one event or of a body that is none.
 * The longest events repeat a whole answer with the prompt and the tools that it was asked with. More fails
 * `model_bad_response`, with what was too long, its limit and what was seen in its detail. So does what is answered with
 * 200 and is no stream of events, with the reason it gives.
 */
export const providerFetch = boundedFetch({
  whose: 'the response of the model',
  maxStreamBytes: 67_108_864,
  maxBytes: 8_388_608,
  code: 'model_bad_response',
  check: (headers) => new EventStreamCheck(headers),
});
