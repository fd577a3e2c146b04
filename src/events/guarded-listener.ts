// Owns the call of a listener: what it throws, now or later, goes to `onFailed` and no further.

export function guard<Value>(
  listener: (value: Value) => unknown,
  onFailed: (error: unknown, isAgain: boolean) => void,
): (value: Value) => void {
  let hasFailed = false;
  const failed = (error: unknown): void => {
    const isAgain = hasFailed;
    hasFailed = true;
    onFailed(error, isAgain);
  };
  return (value) => {
    try {
      const result = listener(value);
      if (result instanceof Promise) result.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}
