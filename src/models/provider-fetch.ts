// Owns how much a provider's API may answer. A longer answer is cut off as it comes, before any client has gathered it.
import { boundedFetch } from '../bounded-body.ts';

/**
 * `fetch` for the clients of providers: 64 MiB of a stream, unpacked, and 8 MiB of one event or of a body that is none.
 * The longest events repeat a whole answer with the prompt and the tools that it was asked with. More fails
 * `model_bad_response`, with what was too long, its limit and what was seen in its detail.
 */
export const providerFetch = boundedFetch({
  whose: 'the response of the model',
  mostStreamBytes: 67_108_864,
  mostBytes: 8_388_608,
  code: 'model_bad_response',
});
