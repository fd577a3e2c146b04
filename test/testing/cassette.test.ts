// Checks recorder and player one exchange at a time: order, differences, ends, changes, keys.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '#src/models/model.js';
import { recorded, replayed, scripted } from '#src/testing.js';
import { modelCall, rejection, request } from '../models/support.ts';
import { folderWith } from '../support/command.ts';
import { cassette, says, textOf, twoWorkers, worker } from './cassette-support.ts';

describe('replayed', () => {
  it('answers under the name of the model that was recorded, with its limits and its price', async () => {
    const file = join(folderWith(), 'one.jsonl');
    const model = { ...scripted({ default: [{ text: 'a' }] }), id: 'mine', respond: never };
    const price = { inputPerMTok: 3, outputPerMTok: 15 };
    recorded({ ...model, maxOutputTokens: 9, refusedSettings: ['topP'], price }, { file });

    expect(replayed({ file })).toMatchObject({
      id: 'mine',
      maxOutputTokens: 9,
      refusedSettings: ['topP'],
      price,
    });
  });

  it('matches agents of one name by what they ask, whatever their order and paths', async () => {
    const tape = replayed({ file: await twoWorkers() });

    // The second to start now was the first then: its path is the other's.
    expect(await textOf(tape, worker(1, 'b'))).toEqual({ type: 'text', text: 'one' });
    expect(await textOf(tape, worker(2, 'a'))).toEqual({ type: 'text', text: 'one' });
    expect(await textOf(tape, worker(2, 'a more', { turn: 2 }))).toMatchObject({ text: 'two' });
    expect(await textOf(tape, worker(1, 'b more', { turn: 2 }))).toMatchObject({ text: 'two' });
    tape.assertConsumed();
  });

  it('compares a swapped agent with the exchanges it was given before', async () => {
    const tape = replayed({ file: await twoWorkers() });
    await textOf(tape, worker(1, 'b'));

    const error = await rejection(tape.respond(worker(1, 'b less', { turn: 2 }), modelCall()));

    expect(error).toMatchObject({
      code: 'cassette_mismatch',
      message: expect.stringContaining('recorded "b more", asked "b less"'),
      detail: { agent: 'worker', path: '/worker', turn: 2, line: 5 },
    });
  });

  it('plays equal requests in the order in which they were answered, failures included', async () => {
    const busy = { throw: { status: 529, message: 'busy', retryAfterMs: 5 } };
    const file = await cassette({ default: [busy, { text: 'now' }] }, [
      worker(1, 'a'),
      worker(1, 'a'),
    ]);
    const tape = replayed({ file });

    const first = await rejection(tape.respond(worker(1, 'a'), modelCall()));

    expect(first).toMatchObject({
      code: 'model_overloaded',
      retryable: true,
      detail: { status: 529, retryAfterMs: 5 },
    });
    expect(await textOf(tape, worker(1, 'a'))).toMatchObject({ text: 'now' });
  });

  it('says cassette_exhausted past the last exchange of an agent', async () => {
    const tape = replayed({ file: await cassette({ default: [{ text: 'a' }] }, [worker(1, 'a')]) });
    await textOf(tape, worker(1, 'a'));

    for (const asked of [worker(1, 'a'), request({ agent: { id: 'x', name: 'x', path: '/x' } })]) {
      expect(await rejection(tape.respond(asked, modelCall()))).toMatchObject({
        code: 'cassette_exhausted',
        detail: { agent: asked.agent.name, turn: 1 },
      });
    }
  });

  it.each<[string, Partial<ModelRequest>, string]>([
    [
      'system prompt',
      { system: 'You are no test.' },
      'the system prompt: recorded "You are a test."',
    ],
    ['tools', { tools: [{ name: 'look', description: '', inputSchema: {} }] }, 'with look added'],
    ['settings', { settings: { topP: 0.5 } }, 'the settings: recorded "{}"'],
    ['text', says('Do that.'), 'message 1, its text: recorded "Do it.", asked "Do that."'],
    [
      'messages',
      { messages: [...request().messages, { role: 'assistant', content: [] }] },
      'the messages: 1 recorded, 2 asked',
    ],
  ])('tells a difference in the %s', async (_what, asked, expected) => {
    const tape = replayed({ file: await cassette({ default: [{ text: 'a' }] }, [request()]) });

    const error = await rejection(tape.respond(request(asked), modelCall()));

    expect(error).toMatchObject({
      code: 'cassette_mismatch',
      message: expect.stringContaining(expected),
    });
  });

  it('finds no difference in ids, times, folders, output limits and the order of fields', async () => {
    const prompt = (folder: string, time: string, kept: string): Partial<ModelRequest> => ({
      ...says(`Go.\n\n# Current Time\n\n${time}`),
      system: `You.\n\n# Working Directory\n\n${folder}\n\nSee .troupe/outputs/${kept}.txt`,
    });
    const file = await cassette({ default: [{ text: 'a' }] }, [
      request({ ...prompt('/home/a b', '2026-11-21 19:43 (GMT+1)', 'a-1-call_1'), turn: 1 }),
    ]);
    const asked = prompt('/srv', '2027-01-02 03:04 (UTC)', 'zz-9-call_1');
    const { messages, ...others } = request({ ...asked, maxOutputTokens: 77 });

    expect(await textOf(replayed({ file }), { messages, ...others })).toMatchObject({ text: 'a' });
  });

  it('compares through the mask it was recorded with', async () => {
    const file = join(folderWith(), 'one.jsonl');
    const mask = (text: string): string => text.replaceAll(/\d+/g, '<n>');
    const model = recorded(scripted({ default: [{ text: 'a' }] }), { file, mask });
    await textOf(model, request(says('Order 4711.')));

    expect(readFileSync(file, 'utf8')).toContain('Order <n>.');
    expect(await textOf(replayed({ file, mask }), request(says('Order 5.')))).toMatchObject({
      text: 'a',
    });
  });

  it('changes one reply, and follows the recorded places where requests differ after it', async () => {
    const file = await twoWorkers();
    const reply = { text: 'what if', toolCalls: [{ name: 'look', input: {} }] };
    const changes = [{ agent: 'worker', turn: 1, path: '/worker', reply }];
    const tape = replayed({ file, changes });

    const changed = await tape.respond(worker(1, 'a'), modelCall());
    const after = await textOf(tape, worker(1, 'a, and so on', { turn: 2 }));

    expect(changed.content).toEqual([
      { type: 'text', text: 'what if' },
      { type: 'tool_use', id: 'changed_1_1', name: 'look', input: {} },
    ]);
    expect(after).toMatchObject({ text: 'two' });
    expect(await textOf(tape, worker(2, 'b'))).toMatchObject({ text: 'one' });
  });

  it.each([
    [{ agent: 'nobody', turn: 1, reply: { text: 'a' } }, 'is of no exchange; agents are worker'],
    [
      { agent: 'worker', turn: 1, reply: { text: 'a' } },
      'is of 2 exchanges, at /worker, /worker-2',
    ],
    [{ agent: 'worker', turn: 1, path: '/worker', reply: { text: 1 } }, 'reply.text must be text'],
  ])('refuses the change %j', async (change, expected) => {
    const file = await twoWorkers();

    expect(() => replayed({ file, changes: [change as never] })).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message: expect.stringContaining(expected),
        detail: { field: 'changes.0' },
      }),
    );
  });
});

describe('recorded', () => {
  it('keeps the order of a call’s arguments, and compares what is asked without it', async () => {
    const file = join(folderWith(), 'one.jsonl');
    const toolCalls = [{ name: 'show', input: { z: 1, a: { y: 2, b: 3 } } }];
    const model = recorded(scripted({ default: [{ toolCalls }, { text: 'seen' }] }), { file });
    const asking = (input: object): ModelRequest => {
      const use = { type: 'tool_use' as const, id: 'call_1', name: 'show', input };
      return request({ turn: 2, messages: [{ role: 'assistant', content: [use] }] });
    };
    await model.respond(request(), modelCall());
    await model.respond(asking({ z: 1, a: 2 }), modelCall());

    const tape = replayed({ file });
    const { content } = await tape.respond(request(), modelCall());

    expect(JSON.stringify(content)).toContain('"input":{"z":1,"a":{"y":2,"b":3}}');
    expect(await textOf(tape, asking({ a: 2, z: 1 }))).toMatchObject({ text: 'seen' });
  });

  it('forwards what is streamed and keeps pieces of one kind joined', async () => {
    const file = join(folderWith(), 'one.jsonl');
    const model = recorded(scripted({ default: [{ chunks: ['he', 'llo'] }] }), { file });
    const call = modelCall();
    await model.respond(request(), call);
    const again = modelCall();
    await replayed({ file }).respond(request(), again);

    expect(call.deltas.map(({ text }) => text)).toEqual(['he', 'llo']);
    expect(again.deltas).toEqual([{ type: 'text', text: 'hello' }]);
  });

  it('records what is no response as a failure', async () => {
    const file = join(folderWith(), 'one.jsonl');
    const model = recorded(
      { id: 'bad', respond: async () => ({ content: 'text' }) as never },
      { file },
    );

    expect(await rejection(model.respond(request(), modelCall()))).toMatchObject({
      code: 'model_bad_response',
    });
    expect(await rejection(replayed({ file }).respond(request(), modelCall()))).toMatchObject({
      code: 'model_bad_response',
    });
  });

  it('keeps no key that the environment knows, wherever a model or a prompt repeats it', async () => {
    const before = process.env['OPENAI_API_KEY'];
    const file = join(folderWith(), 'one.jsonl');
    // Visible ASCII, as headers carry it; a key of a few characters would be found in any text.
    const keys = fc.string({
      unit: fc.constantFrom(...'aZ9-_.$"\\'),
      minLength: 12,
      maxLength: 40,
    });
    try {
      await fc.assert(
        fc.asyncProperty(keys, fc.boolean(), async (key, fails) => {
          process.env['OPENAI_API_KEY'] = key;
          const answer = fails
            ? { throw: { status: 400, message: `bad ${key}` } }
            : { chunks: [key] };
          const model = recorded(scripted({ default: [answer] }), { file, overwrite: true });
          await model.respond(request(says(`My key is ${key}!`)), modelCall()).catch(() => {});

          const text = readFileSync(file, 'utf8');
          expect(text).toContain('[key]');
          expect(text).not.toContain(key);
          expect(text).not.toContain(JSON.stringify(key).slice(1, -1));
        }),
      );
    } finally {
      if (before === undefined) delete process.env['OPENAI_API_KEY'];
      else process.env['OPENAI_API_KEY'] = before;
    }
  });
});

function never(): never {
  throw new Error('nobody asks');
}
