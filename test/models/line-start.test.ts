// Checks with how many calls the line of a provider begins.
import { describe, expect, it } from 'vitest';
import { arrangeLine } from './client-support.ts';

describe('a line that was never answered', () => {
  it('F23 lets out as many calls as it begins with, twice as many once one is answered', async () => {
    const { call, sent, settle } = arrangeLine({ labels: ['only'], initialCalls: 3 });

    for (const agent of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) void call(agent);
    await settle();
    expect(sent).toHaveLength(3);

    sent[0]?.answer();
    await settle();
    expect(sent, 'one came back, six may be out').toHaveLength(7);
  });
});
