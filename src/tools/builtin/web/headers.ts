// Owns the check of the headers that a program has sent with fetches: a wrong one is named, and never shown.
import { TroupeError } from '../../../base/failures.ts';
import { isRecord } from '../../../base/is-record.ts';

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What HTTP takes; spaces and line ends around it are left out when it is sent. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Throws `invalid_options` for what are no headers by host. Checked before anything starts: the error of the client
 * that sends them would reach a model, and quote the value.
 */
export function checkHeaders(headers: unknown): void {
  if (!isRecord(headers)) throw wrong('', 'an object of headers by host');
  for (const [host, own] of Object.entries(headers)) {
    if (!isRecord(own)) throw wrong(`.${host}`, 'an object of values by name');
    for (const [name, value] of Object.entries(own)) {
      const field = `.${host}.${name}`;
      if (!headerName.test(name)) throw wrong(field, 'called as headers are');
      if (typeof value !== 'string' || !headerValue.test(value.trim())) {
        throw wrong(field, 'one line of letters that HTTP takes');
      }
    }
  }
}

function wrong(field: string, wanted: string): TroupeError {
  const message = `createSupervisor: web.headers${field} must be ${wanted}`;
  return new TroupeError('invalid_options', message, { detail: { field: `web.headers${field}` } });
}
