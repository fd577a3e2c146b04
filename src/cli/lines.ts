// Owns the cutting of a stream of bytes into lines. Knows nothing of what they say.

/** Characters of a line: a task with its history is shorter. */
const maxChars = 16_777_216;

/**
 * The lines of a UTF-8 stream, without their ends and without a byte order mark; the last one needs no end. Throws at a line of
 * more than 16 Mi characters, behind which nothing can be read.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const pieces = decoder.decode(chunk, { stream: true }).split('\n');
    // Most of a long line may have come before: it is joined once, where it ends.
    pieces[0] = rest + pieces[0];
    rest = pieces.pop() ?? '';
    for (const line of pieces) yield line.replace(/\r$/, '');
    if (rest.length > maxChars) {
      throw new Error(
        `the line is too long: more than ${maxChars} characters, ${rest.length} came so far`,
      );
    }
  }
  rest += decoder.decode();
  if (rest !== '') yield rest.replace(/\r$/, '');
}
