// Checks the question in the live view: what is shown, which keys answer it, and that the terminal is given back.
import { EventEmitter } from 'node:events';
import { describe, expect, it, test } from 'vitest';
import { ApprovalPrompt, type KeyInput } from '#src/cli/approval-prompt.js';
import { plainPaint } from '#src/cli/paint.js';
import { widthOf } from '#src/cli/text.js';
import type { ApprovalRequest } from '#src/index.js';

/** A keyboard that keeps its modes, and a prompt that reads it. */
function keyboard() {
  const modes: (boolean | 'paused' | 'resumed')[] = [];
  const stream = Object.assign(new EventEmitter(), {
    isTTY: true,
    isRaw: false,
    setRawMode: (isRaw: boolean) => {
      stream.isRaw = isRaw;
      modes.push(isRaw);
    },
    resume: () => modes.push('resumed'),
    pause: () => modes.push('paused'),
  });
  let interrupts = 0;
  const prompt = new ApprovalPrompt({
    // What is read of it.
    input: stream as unknown as KeyInput,
    labelOf: (taskId) => (taskId === 't1' ? 'a.md' : null),
    onInterrupt: () => {
      interrupts += 1;
    },
  });
  const show = (columns = 60, rows = 24) => prompt.lines({ columns, rows }, plainPaint);
  const press = (keys: string) => stream.emit('data', Buffer.from(keys));
  return { prompt, modes, stream, show, press, interrupts: () => interrupts };
}

function request(given: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    callId: 'c1',
    tool: 'write',
    tags: ['write'],
    input: { path: 'a.txt' },
    requiredBy: [{ by: 'tool' }],
    agent: { id: 'a1', name: 'agent', path: '/a1' },
    taskId: 't1',
    signal: new AbortController().signal,
    ...given,
  };
}

describe('a question', () => {
  it.each([
    ['y', { allow: 'once' }],
    ['r', { allow: 'run' }],
    ['a', { allow: 'always' }],
    ['n', 'deny'],
  ])('is answered by the key %s with %j', async (key, answer) => {
    const { prompt, modes, show, press } = keyboard();
    const asked = prompt.ask(request());

    expect(show()).toEqual([
      '? /a1 (a.md) wants to run write',
      '  {"path":"a.txt"}',
      '  y once  r this run  a always  n deny',
    ]);
    press(key);

    expect(await asked).toEqual(answer);
    expect(show()).toEqual([]);
    expect(modes).toEqual([true, 'resumed', false, 'paused']);
  });

  it('is answered by no key that was pressed before it was shown, by no arrow and by nothing pasted', async () => {
    const { prompt, show, press } = keyboard();
    const first = prompt.ask(request());
    const second = prompt.ask(request({ tool: 'edit', taskId: 't2' }));

    press('y');
    expect(show()[0]).toBe('? /a1 (a.md) wants to run write');
    for (const keys of ['\u001b[A', 'yyy', 'x', '\r', 'Y']) press(keys);
    expect(show().at(-1)).toContain('(1 more to ask)');
    press('n');
    // The next one is not on the screen yet.
    press('y');
    expect(show()[0]).toBe('? /a1 wants to run edit');
    press('r');

    expect(await Promise.all([first, second])).toEqual(['deny', { allow: 'run' }]);
  });

  it('is taken away when its answer is of no use any more', async () => {
    const { prompt, modes, show } = keyboard();
    const given = new AbortController();
    const asked = prompt.ask(request({ signal: given.signal }));
    show();

    given.abort();

    expect(await asked).toBe('deny');
    expect(show()).toEqual([]);
    expect(modes.slice(-2)).toEqual([false, 'paused']);
    expect(await prompt.ask(request({ signal: AbortSignal.abort() }))).toBe('deny');
  });

  it('leaves Ctrl-C its meaning, and the terminal as it was when it is given back', () => {
    const { prompt, stream, show, press, interrupts, modes } = keyboard();
    void prompt.ask(request());
    show();

    press('\u0003');
    prompt.release();
    prompt.release();

    expect(interrupts()).toBe(1);
    expect(stream.listenerCount('data')).toBe(0);
    expect(modes).toEqual([true, 'resumed', false, 'paused']);
  });
});

test.each([20, 33, 60, 200])(
  'fits a terminal of %i columns, and says what it leaves out',
  (columns) => {
    const { prompt, show } = keyboard();
    const path = `${'漢字'.repeat(300)}end`;
    void prompt.ask(request({ input: { path }, tool: 'a_tool_of_a_long_name' }));

    const lines = show(columns, 24);

    expect(lines.length).toBeLessThanOrEqual(7);
    for (const line of lines) expect(widthOf(line)).toBeLessThan(Math.max(21, columns));
    expect(lines.slice(1, -1).join('').replaceAll('  ', '')).toMatch(/^\{"path":"漢字[漢字]*…$/);
    expect(show(columns, 6).length).toBeLessThanOrEqual(3);
  },
);

test.each([
  [20, '? write', '  y r a n (no)'],
  [36, '? …ng leg (a.md) wants to run write', '  y once r run a always n no'],
  [44, '? … last long leg (a.md) wants to run write', '  y once  r this run  a always  n deny'],
])('shows the tool and what every key means on %i columns', (columns, title, meanings) => {
  const { prompt, show } = keyboard();
  const agent = { id: 'a1', name: 'agent', path: '/main/scout/the last long leg' };
  void prompt.ask(request({ agent }));

  const lines = show(columns);

  expect([lines[0], lines.at(-1)]).toEqual([title, meanings]);
});

test('shows signs that move the cursor or turn the text around as what they are', () => {
  const { prompt, show } = keyboard();
  void prompt.ask(request({ input: { path: 'a\u202eb\u001b[2J\u009bc\n' } }));

  expect(show()[1]).toBe('  {"path":"a\\u202eb\\u001b[2J\\u009bc\\n"}');
});
