// Checks pipelines: agents one after another, and all at once.
import { describe, expect, it } from 'vitest';
import { fanoutPipeline, sequentialPipeline } from '#src/dialects/agent-family/base/pipelines.js';
import { rejection, within } from '../../../supervisor/support.ts';
import { contents, Dreamer, msg, Parrot } from '../support.ts';

class Broken extends Parrot {
  override async reply(): Promise<never> {
    throw new Error('broken');
  }
}

describe('a sequential pipeline', () => {
  it('hands each agent the reply of the one before', async () => {
    const agents = [new Parrot({ name: 'ann' }), new Parrot({ name: 'ben' })];

    const last = await sequentialPipeline(agents, msg('hello'));

    expect(last).toMatchObject({ content: 'ben heard ann heard hello', name: 'ben' });
    expect(await sequentialPipeline([], msg('alone'))).toMatchObject({ content: 'alone' });
  });

  it('ends with the first that fails', async () => {
    const last = new Parrot({ name: 'ben' });

    const error = await rejection(sequentialPipeline([new Broken({ name: 'ann' }), last]));

    expect(error).toMatchObject({ message: 'broken' });
    expect(last.replies).toBe(0);
  });
});

describe('a fan-out pipeline', () => {
  it('asks all with the same, and has their replies in the order of the agents', async () => {
    const agents = [new Parrot({ name: 'ann' }), new Parrot({ name: 'ben' })];

    const replies = await fanoutPipeline(agents, msg('hello'));

    expect(contents(replies)).toEqual(['ann heard hello', 'ben heard hello']);
    expect(await fanoutPipeline([], msg('alone'))).toEqual([]);
  });

  it('interrupts the others when one fails, and ends when they have', async () => {
    const dreamer = new Dreamer({ name: 'ann' });

    const asked = fanoutPipeline([dreamer, new Broken({ name: 'ben' })], msg('hello'));

    expect(await within(rejection(asked), 'the failure')).toMatchObject({ message: 'broken' });
    expect(dreamer.interrupt()).toBe(false);
  });

  it('is interrupted by the signal of its caller', async () => {
    const abort = new AbortController();
    const agents = [new Dreamer({ name: 'ann' }), new Dreamer({ name: 'ben' })];

    const asked = fanoutPipeline(agents, msg('hello'), { signal: abort.signal });
    abort.abort();
    const replies = await within(asked, 'the replies');

    expect(replies.map(({ metadata }) => metadata)).toEqual([
      { interrupted: true },
      { interrupted: true },
    ]);
  });
});
