// Values that cannot be looked at, and can be thrown all the same. Asserts nothing.

const never = (): never => {
  throw new Error('nobody reads this');
};

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function circular(): Error {
  const error = new Error('round');
  error.cause = error;
  return Object.assign(error, { detail: { error, at: { error } } });
}

/** Made anew by each call: what is told of one must not change the next. */
export const unreadable: Readonly<Record<string, () => unknown>> = {
  'a revoked proxy': () => revoked({}),
  'a revoked function': () => revoked(() => {}),
  'a proxy that answers nothing': () =>
    new Proxy({}, { get: never, has: never, getPrototypeOf: never, ownKeys: never }),
  'an object without a prototype': () => Object.create(null),
  'an error whose message throws': () =>
    Object.defineProperty(new Error(), 'message', { get: never }),
  'an error whose message is no text': () =>
    Object.assign(new Error(), { message: Object.create(null) }),
  'an error whose code throws': () => Object.defineProperty(new Error('x'), 'code', { get: never }),
  'an error with a detail that throws': () =>
    Object.assign(new Error('x'), {
      detail: Object.defineProperty({}, 'a', { get: never, enumerable: true }),
    }),
  'an error with a revoked detail': () => Object.assign(new Error('x'), { detail: revoked({}) }),
  'an error that is its own cause': circular,
  'a symbol': () => Symbol('s'),
  nothing: () => undefined,
};
