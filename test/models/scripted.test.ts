// Checks the scripted model: its steps, its failures, its refusals of bad scripts.
import { describe, expect, it } from 'vitest';
import { ManualClock, type Script, scripted } from '#src/testing.js';
import { modelCall, rejection, request } from './support.ts';

describe('scripted', () => {
  it('plays the steps of an agent in order and starts every run at the first', async () => {
    const model = scripted({ default: [{ text: 'one' }, { text: 'two' }] });

    const texts: unknown[] = [];
    for (const turn of [1, 2, 1]) {
      const response = await model.respond(request({ turn }), modelCall());
      texts.push(response.content[0]);
    }

    expect(texts).toEqual([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
      { type: 'text', text: 'one' },
    ]);
  });

  it('gives each agent the list of its definition and others the default', async () => {
    const model = scripted({ default: [{ text: 'd' }], agents: { reviewer: [{ text: 'r' }] } });
    const reviewer = { id: 'a-2', name: 'reviewer', path: '/reviewer' };

    const [mine, theirs] = await Promise.all([
      model.respond(request({ agent: reviewer }), modelCall()),
      model.respond(request(), modelCall()),
    ]);

    expect(mine.content).toEqual([{ type: 'text', text: 'r' }]);
    expect(theirs.content).toEqual([{ type: 'text', text: 'd' }]);
  });

  it('keeps two agents of one definition apart', async () => {
    const model = scripted({ default: [{ text: 'one' }, { text: 'two' }] });
    const other = { id: 'a-2', name: 'worker', path: '/worker-2' };

    await model.respond(request(), modelCall());
    const first = await model.respond(request({ agent: other }), modelCall());

    expect(first.content).toEqual([{ type: 'text', text: 'one' }]);
  });

  it('numbers made-up tool call ids across the runs of an agent', async () => {
    const model = scripted({ default: [{ toolCalls: [{ name: 'look', input: { at: 1 } }] }] });

    const first = await model.respond(request(), modelCall());
    const second = await model.respond(request(), modelCall());

    expect(first).toMatchObject({
      stopReason: 'tool_use',
      content: [{ type: 'tool_use', id: 'call_1', name: 'look', input: { at: 1 } }],
    });
    expect(second.content[0]).toMatchObject({ id: 'call_2' });
  });

  it('reports given usage as counted and its own guess as estimated', async () => {
    const usage = { inputTokens: 7, outputTokens: 3 };
    const model = scripted({ default: [{ text: 'four', usage }, { text: 'eightish' }] });

    const counted = await model.respond(request(), modelCall());
    const guessed = await model.respond(request({ turn: 2 }), modelCall());

    expect(counted).toMatchObject({ usage: { ...usage, cacheReadTokens: 0 }, isEstimated: false });
    expect(guessed).toMatchObject({ usage: { outputTokens: 2 }, isEstimated: true });
  });

  it('waits `delayMs` on the clock it was given, then streams its chunks', async () => {
    const clock = new ManualClock();
    const model = scripted({ default: [{ delayMs: 20, chunks: ['he', 'llo'] }] });
    model.useClock?.(clock);
    const call = modelCall();

    const answer = model.respond(request(), call);
    await clock.advance(19);
    expect(call.deltas).toEqual([]);
    await clock.advance(1);

    expect((await answer).content).toEqual([{ type: 'text', text: 'hello' }]);
    expect(call.deltas.map((delta) => delta.text)).toEqual(['he', 'llo']);
    expect(clock.pending).toBe(0);
  });

  it('drops its timer when a delayed step is aborted', async () => {
    const clock = new ManualClock();
    const model = scripted({ default: [{ delayMs: 20, text: 'late' }] });
    model.useClock?.(clock);
    const call = modelCall();

    const answer = rejection(model.respond(request(), call));
    call.abort();

    expect(await answer).toMatchObject({ code: 'aborted' });
    expect(clock.pending).toBe(0);
  });

  it('streams, then hangs until aborted', async () => {
    const model = scripted({ default: [{ text: 'partial', hang: true }] });
    const call = modelCall();

    const answer = rejection(model.respond(request(), call));
    await Promise.resolve();
    await Promise.resolve();
    expect(call.deltas).toEqual([{ type: 'text', text: 'partial' }]);
    call.abort();

    expect(await answer).toMatchObject({ code: 'aborted' });
  });

  it.each([
    [429, 'model_rate_limited', true],
    [529, 'model_overloaded', true],
    [503, 'model_overloaded', true],
    [500, 'model_failed', true],
    [504, 'model_timeout', true],
    [408, 'model_timeout', true],
    [409, 'model_failed', true],
    [0, 'model_disconnected', true],
    [401, 'model_auth', false],
    [403, 'model_auth', false],
    [404, 'model_unknown', false],
    [400, 'model_bad_request', false],
    [413, 'model_bad_request', false],
  ])('fails status %i with %s, retryable %s', async (status, code, retryable) => {
    const step = { throw: { status, message: 'no', retryAfterMs: 1_000 } };
    const model = scripted({ default: [step] });

    const error = await rejection(model.respond(request(), modelCall()));

    expect(error).toMatchObject({ code, retryable, detail: { status, retryAfterMs: 1_000 } });
  });

  it('goes on with the next step when a failed first turn is tried again', async () => {
    const model = scripted({
      default: [{ throw: { status: 529, message: 'busy' } }, { text: 'now' }],
    });

    await rejection(model.respond(request(), modelCall()));
    const answer = await model.respond(request(), modelCall());

    expect(answer.content).toEqual([{ type: 'text', text: 'now' }]);
  });

  it('answers for ever with a repeating step', async () => {
    const model = scripted({ default: [{ text: 'again', repeat: true }] });

    for (const turn of [1, 2, 3]) await model.respond(request({ turn }), modelCall());

    expect(model.requests()).toHaveLength(3);
    model.assertConsumed();
  });

  it('rejects a call past the end as script_exhausted', async () => {
    const model = scripted({ agents: { worker: [{ text: 'only' }] } });
    const stranger = { id: 'a-3', name: 'stranger', path: '/stranger' };

    await model.respond(request(), modelCall());

    expect(await rejection(model.respond(request({ turn: 2 }), modelCall()))).toMatchObject({
      code: 'script_exhausted',
      message: 'the list of "worker" has 1 steps, one more was asked for',
    });
    expect(await rejection(model.respond(request({ agent: stranger }), modelCall()))).toMatchObject(
      {
        code: 'script_exhausted',
      },
    );
  });

  it('names the steps that were not taken', async () => {
    const model = scripted({ default: [{ text: 'a' }, { text: 'b' }] });

    await model.respond(request(), modelCall());

    expect(() => model.assertConsumed()).toThrow(
      expect.objectContaining({
        code: 'script_unconsumed',
        message: 'steps nobody took: the default list stopped at 1 of 2',
      }),
    );
  });

  it('records requests by reference', async () => {
    const model = scripted({ default: [{ text: 'a' }] });
    const asked = request();

    await model.respond(asked, modelCall());

    expect(model.requests()[0]).toBe(asked);
  });
});

describe('a bad script is refused with invalid_options', () => {
  it.each<[string, unknown]>([
    ['script', null],
    ['script', {}],
    ['script.steps', { steps: [] }],
    ['script.default', { default: 'text' }],
    ['script.default[0]', { default: [{}] }],
    ['script.default[0].txt', { default: [{ txt: 'a' }] }],
    ['script.default[0].text', { default: [{ text: 1 }] }],
    ['script.default[0].stopReason', { default: [{ text: 'a', stopReason: 'stop' }] }],
    ['script.default[0].usage.input', { default: [{ text: 'a', usage: { input: 1 } }] }],
    ['script.default[0].delayMs', { default: [{ text: 'a', delayMs: -1 }] }],
    ['script.default[0].chunks', { default: [{ text: 'abc', chunks: ['a', 'b'] }] }],
    ['script.default[0].toolCalls[0].input', { default: [{ toolCalls: [{ name: 'a' }] }] }],
    ['script.default[0].throw', { default: [{ throw: { status: '429', message: 'm' } }] }],
    ['script.default[0].repeat', { default: [{ text: 'a', repeat: true }, { text: 'b' }] }],
    ['script.agents.worker[0].hang', { agents: { worker: [{ text: 'a', hang: false }] } }],
  ])('names %s', (field, script) => {
    expect(() => scripted(script as Script)).toThrow(
      expect.objectContaining({ code: 'invalid_options', detail: { field } }),
    );
  });
});
