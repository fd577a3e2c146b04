// Owns the call of a listener: what it throws, now or later, goes to `onFailed` and no further.

export function guard<Said>(
  listener: (said: Said) => unknown,
  onFailed: (error: unknown, isAgain: boolean) => void,
): (said: Said) => void {
  let hasFailed = false;
  const failed = (error: unknown): void => {
    const isAgain = hasFailed;
    hasFailed = true;
    onFailed(error, isAgain);
  };
  return (said) => {
    try {
      const result = listener(said);
      if (result instanceof Promise) result.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}
