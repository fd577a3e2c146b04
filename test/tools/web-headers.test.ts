// Checks that headers for the web are judged before anything starts, in words that hold none of their values.
import { expect, it } from 'vitest';
import { createSupervisor } from '#src/index.js';

const host = 'api.example:8443';

it.each([
  ['no object', 'Bearer sk-secret', '', 'an object of headers by host'],
  ['a value without a host', { [host]: 'Bearer sk-secret' }, `.${host}`, 'an object of values'],
  ['a line end', { [host]: { pass: 'sk-sec\nret' } }, `.${host}.pass`, 'one line of letters'],
  ['a letter beyond', { [host]: { pass: 'sk-secret…' } }, `.${host}.pass`, 'one line of letters'],
  ['no text', { [host]: { pass: ['sk-secret'] } }, `.${host}.pass`, 'one line of letters'],
  ['no name', { [host]: { 'a b': 'sk-secret' } }, `.${host}.a b`, 'called as headers are'],
])('refuses %s and does not show it', (_what, headers, field, expected) => {
  const web = { headers: headers as never };

  expect(() => createSupervisor({ model: 'offline', web })).toThrow(
    expect.objectContaining({
      code: 'invalid_options',
      message: expect.stringMatching(new RegExp(`web\\.headers${field}.* must be ${expected}`)),
      detail: { field: `web.headers${field}` },
    }),
  );
  expect(() => createSupervisor({ model: 'offline', web })).not.toThrow(/sk-sec/);
});

it('takes a value that ends in a line end, as those of files do', async () => {
  const headers = { [host]: { authorization: 'Bearer sk-secret\n' } };

  await createSupervisor({ model: 'offline', web: { headers } }).close();
});
