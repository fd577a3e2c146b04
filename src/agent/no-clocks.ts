// Owns what tools and hooks in a thread are told that wait for a person there: the clocks of their run are the service's.
import { TroupeError } from '../base/failures.ts';

export async function waitForPerson(): Promise<never> {
  const why = 'waitForPerson is for tools and hooks of the service: ask the person in one of those';
  throw new TroupeError('invalid_options', why);
}
