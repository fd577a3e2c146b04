// Checks what events show of a call: the beginning of its input and of its result, without keys.
import { describe, expect, it } from 'vitest';
import { previewOfInput, previewOfResult } from '#src/agent/preview.js';

const key = `sk-ant-${'a1b2'.repeat(20)}`;
const image = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
} as const;

describe('the preview of a call', () => {
  it.each([
    ['a short input', { path: 'a.txt' }, '{"path":"a.txt"}'],
    ['an input with a key', { header: `x ${key}` }, '{"header":"x [key]"}'],
    ['no input', undefined, ''],
    ['a bare text', 'ls', '"ls"'],
  ])('shows %s as JSON', (_what, input, shown) => {
    expect(previewOfInput(input)).toBe(shown);
  });

  it('cuts a long input at 200 characters', () => {
    const preview = previewOfInput({ content: 'x'.repeat(1_000_000) });

    expect(preview).toBe(`{"content":"${'x'.repeat(187)}…`);
    expect(preview).toHaveLength(200);
  });

  it('shows what is no JSON without failing', () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;

    expect(previewOfInput(circle)).toBe('[object Object]');
    expect(previewOfInput({ big: 1n })).toBe('[object Object]');
  });

  it('shows a result of text and images in its order', () => {
    expect(previewOfResult([{ type: 'text', text: 'before' }, image])).toBe('before\n[image]');
  });

  it('never shows a part of a key, wherever the cut is', () => {
    for (let before = 0; before < 220; before += 1) {
      const preview = previewOfResult(`${'-'.repeat(before)} ${key} and more`);
      expect(preview).not.toMatch(/sk-ant/);
      expect(preview.length).toBeLessThanOrEqual(200);
    }
  });

  it('cuts no character in two', () => {
    for (const before of [197, 198, 199]) {
      const preview = previewOfResult(`${'x'.repeat(before)}${'😀'.repeat(10)}`);
      // It throws for half a character.
      expect(encodeURIComponent(preview)).toMatch(/^x/);
    }
  });
});
