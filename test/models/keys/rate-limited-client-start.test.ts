// Checks with how many calls the client of a provider begins.
import { describe, expect, it } from 'vitest';
import { arrangeClient } from '../client-support.ts';

describe('a client that was never answered', () => {
  it('lets out as many calls as it begins with, twice as many once one is answered (F23)', async () => {
    const { call, sent, untilIdle } = arrangeClient({ labels: ['only'], initialCalls: 3 });

    for (const agent of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) void call(agent);
    await untilIdle();
    expect(sent).toHaveLength(3);

    sent[0]?.answer();
    await untilIdle();
    expect(sent, 'one came back, six may be out').toHaveLength(7);
  });
});
