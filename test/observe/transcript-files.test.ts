// Checks that live transcripts lose nothing that is said while the disk is written.
import { expect, test } from 'vitest';
import { EventBus } from '#src/events/events.js';
import { TranscriptFiles } from '#src/observe/transcript-files.js';
import { ManualClock } from '#src/testing.js';

test('a message said while the file is written stands in the next line (C47)', async () => {
  const clock = new ManualClock();
  const events = new EventBus(clock);
  const messages = ['first'];
  const commit = (): void =>
    events.emit('turn_committed', { taskId: 't1' }, { turn: 1, part: 'model_response' });
  const texts: string[] = [];
  let started = (): void => {};
  const writing = new Promise<void>((resolve) => {
    started = resolve;
  });
  const files = new TranscriptFiles({
    events,
    clock,
    transcript: () => messages,
    create: async (taskId) => `${taskId}.jsonl`,
    append: async (_path, lines) => {
      texts.push(lines);
      if (texts.length > 1) return;
      messages.push('second');
      commit();
      started();
    },
  });

  commit();
  await writing;
  await files.close();

  expect(texts).toEqual(['"first"\n', '"second"\n']);
});
