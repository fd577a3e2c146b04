// Owns the reading of one line from a stream: what follows it stays in the stream. Knows no agent and no prompt.
import { Buffer } from 'node:buffer';
import { ByteBuffer } from '../../../base/byte-buffer.ts';
import { TroupeError } from '../../../base/failures.ts';
import { whenAborted } from '../../../base/when-aborted.ts';

/** Bytes of a line: more than a person types. */
const maxBytes = 1_048_576;

const newline = 0x0a;

/**
 * The next line, without its end; text left when the stream ends counts as one. Null when nothing is left. Rejects with
 * the signal's reason, the stream's own error, and `invalid_options` for a line of more than 1 MiB. Input that was
 * read beyond the line goes back into the stream, for the next reader.
 */
export function readLine(
  input: NodeJS.ReadableStream,
  signal: AbortSignal,
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const read = new ByteBuffer();
    const stop = (): void => {
      input.pause();
      input.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onError);
      ignore();
    };
    const onData = (chunk: string | Buffer): void => {
      const bytes = Buffer.from(chunk);
      const end = bytes.indexOf(newline);
      read.append(end === -1 ? bytes : bytes.subarray(0, end));
      if (read.length > maxBytes) {
        stop();
        reject(tooLong(read.length));
        return;
      }
      if (end === -1) return;
      stop();
      const rest = bytes.subarray(end + 1);
      if (rest.length > 0) input.unshift(rest);
      resolve(textOf(read.take()));
    };
    const onEnd = (): void => {
      stop();
      resolve(read.length === 0 ? null : textOf(read.take()));
    };
    const onError = (error: unknown): void => {
      stop();
      reject(error);
    };
    const onAbort = (): void => {
      stop();
      if (read.length > 0) input.unshift(read.take());
      reject(signal.reason);
    };
    if (signal.aborted) return reject(signal.reason);
    if (!input.readable) return resolve(null);
    const ignore = whenAborted(signal, onAbort);
    input.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onError);
    input.resume();
  });
}

function tooLong(seen: number): TroupeError {
  const message = `a line of the input has more than ${maxBytes} bytes, ${seen} came so far`;
  const detail = { what: 'one line', limit: maxBytes, seen };
  return new TroupeError('invalid_options', message, { detail });
}

function textOf(line: Buffer): string {
  return line.toString().replace(/\r$/, '');
}
