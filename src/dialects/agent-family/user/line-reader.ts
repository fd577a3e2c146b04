// Owns the reading of one line from a stream: what follows it stays in the stream. Knows no agent and no prompt.
import { Buffer } from 'node:buffer';

const newline = 0x0a;

/**
 * The next line, without its end; what is left when the stream ends counts as one. Null when nothing is left. Rejects with
 * the signal's reason, and with the stream's own error. What was read and is not of the line goes back into the stream, for
 * whoever reads it next.
 */
export function readLine(
  input: NodeJS.ReadableStream,
  signal: AbortSignal,
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    let read = Buffer.alloc(0);
    const stop = (): void => {
      input.pause();
      input.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onError);
      signal.removeEventListener('abort', onAbort);
    };
    const onData = (chunk: string | Buffer): void => {
      read = Buffer.concat([read, Buffer.from(chunk)]);
      const end = read.indexOf(newline);
      if (end === -1) return;
      stop();
      const rest = read.subarray(end + 1);
      if (rest.length > 0) input.unshift(rest);
      resolve(textOf(read.subarray(0, end)));
    };
    const onEnd = (): void => {
      stop();
      resolve(read.length === 0 ? null : textOf(read));
    };
    const onError = (error: unknown): void => {
      stop();
      reject(error);
    };
    const onAbort = (): void => {
      stop();
      if (read.length > 0) input.unshift(read);
      reject(signal.reason);
    };
    if (signal.aborted) return reject(signal.reason);
    if (!input.readable) return resolve(null);
    signal.addEventListener('abort', onAbort, { once: true });
    input.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onError);
    input.resume();
  });
}

function textOf(line: Buffer): string {
  return line.toString().replace(/\r$/, '');
}
