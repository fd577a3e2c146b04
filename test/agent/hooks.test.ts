// Checks what hooks may answer, how they are checked, and what they come to: tables over the pure half of hooks.
import { describe, expect, it } from 'vitest';
import { collectHooks, hookFailure, hooksFault, namesOf, readAnswer } from '#src/agent/hooks.js';
import { TroupeError } from '#src/base/failures.js';
import { type Message, withAppended } from '#src/protocol/history.js';
import { type HookName, hookNames } from '#src/protocol/hooks.js';
import { placeHooks } from '#src/tasks/resolve/hook-placement.js';
import { settingsOf } from '#src/tasks/resolve/settings.js';

const says = (role: 'user' | 'assistant', text: string): Message => ({
  role,
  content: [{ type: 'text', text }],
});

describe('an answer of a hook', () => {
  it.each<[HookName, unknown, unknown]>([
    ['beforeRun', { deny: 'no' }, { deny: 'no' }],
    ['beforeRun', undefined, null],
    ['beforeTurn', { append: 'more' }, { append: 'more' }],
    ['beforeTurn', null, null],
    ['beforeTool', { deny: 'no' }, { deny: 'no' }],
    ['beforeTool', { input: { a: [1] } }, { input: { a: [1] } }],
    ['beforeTool', { input: null }, { input: null }],
    ['afterTool', { result: '' }, { result: '' }],
    ['afterTurn', 'whatever', null],
    ['afterRun', { deny: 'too late' }, null],
  ])('of %s may be %j', (name, answer, read) => {
    expect(readAnswer(name, answer)).toEqual(read);
  });

  it.each<[HookName, unknown, string]>([
    ['beforeRun', false, 'it answered false, expected nothing or { deny }'],
    ['beforeRun', { deny: 5 }, 'it answered {"deny":5}, expected nothing or { deny }'],
    ['beforeTurn', { append: 'a', deny: 'b' }, 'expected nothing or { append }'],
    ['beforeTurn', { input: {} }, 'expected nothing or { append }'],
    ['beforeTool', {}, 'it answered {}, expected nothing or { deny } or { input }'],
    ['afterTool', 'text', 'it answered "text", expected nothing or { result }'],
  ])('of %s may not be %j', (name, answer, message) => {
    expect(() => readAnswer(name, answer)).toThrow(message);
  });

  it('may not hold input that cannot cross a thread (M6)', () => {
    expect(() => readAnswer('beforeTool', { input: { run: () => 1 } })).toThrow(/run/);
  });

  it('names its hook when it fails, and the code of what it threw (D23)', () => {
    const why = hookFailure('afterTurn', new Error('boom'));

    expect(why).toEqual({
      code: 'hook_failed',
      message: 'hook afterTurn failed: boom',
      retryable: false,
      detail: { hook: 'afterTurn', stack: expect.stringMatching(/^Error: boom\n {4}at /) },
    });
    const refusal = new TroupeError('file_refused', 'no');
    expect(hookFailure('beforeTool', refusal)).toMatchObject({
      message: 'hook beforeTool failed: no',
      detail: { hook: 'beforeTool', cause: 'file_refused' },
    });
  });
});

describe('hooks', () => {
  it.each([
    [5, '', 'expected an object of hooks, or the URL of a module'],
    [null, '', 'expected an object of hooks, or the URL of a module'],
    [[], '', 'expected an object of hooks, or the URL of a module'],
    [{ beforRun() {} }, 'beforRun', `there is no such hook; there are ${hookNames.join(', ')}`],
    [{ afterRun: 'x' }, 'afterRun', 'expected a function'],
  ])('are not %j', (value, field, why) => {
    expect(hooksFault(value)).toEqual({ field, why });
  });

  it('are known by the functions there are', () => {
    const hooks = { afterTool() {}, beforeRun() {}, afterRun: undefined };

    expect(hooksFault(hooks)).toBeNull();
    expect(namesOf(hooks as never)).toEqual(['beforeRun', 'afterTool']);
  });

  it('come from the export hooks of a module, else from its default', () => {
    const hooks = { beforeRun() {} };

    expect(collectHooks({ hooks, default: 5 }, 'm')).toBe(hooks);
    expect(collectHooks({ default: hooks }, 'm')).toBe(hooks);
    expect(() => collectHooks({ a: 1 }, 'm')).toThrow('m exports no hooks');
    expect(() => collectHooks({ hooks: { afterRun: 1 } }, 'm')).toThrow(
      'm: hooks.afterRun: expected a function',
    );
  });

  it('of a definition stand before those of its task; an object without any is left out (D5)', () => {
    const one = { beforeRun: () => null };
    const two = { afterRun: () => null };
    const module = new URL('file:///hooks.js');

    const { hooks } = settingsOf({ hooks: [{}, two] }, { name: 'a', hooks: [one, module] });
    const placed = placeHooks(hooks, () => ['beforeTool']);

    expect(placed.planned).toEqual([
      { names: ['beforeRun'] },
      { names: ['beforeTool'], module: module.href },
      { names: ['afterRun'] },
    ]);
    expect([...placed.onHost]).toEqual([
      [0, one],
      [2, two],
    ]);
    expect(placeHooks([{}], () => []).planned).toEqual([]);
  });
});

describe('a text appended to a request', () => {
  it('ends the last user message and leaves the conversation as it was (A38)', () => {
    const messages = [says('user', 'one'), says('assistant', 'two'), says('user', 'three')];
    const before = structuredClone(messages);

    const request = withAppended(messages, 'now');

    expect(request.at(-1)?.content).toEqual([
      { type: 'text', text: 'three' },
      { type: 'text', text: 'now', isTransient: true },
    ]);
    expect(request.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(messages).toEqual(before);
  });

  it('is nothing when there is none, or no message to add it to', () => {
    const messages = [says('user', 'one')];

    expect(withAppended(messages, '')).toBe(messages);
    expect(withAppended([], 'now')).toEqual([]);
  });
});
