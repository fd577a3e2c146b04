// Shared arrangements of the tests of hooks: modules, tools, a recorder of everything hooks are told. Starts no test.
import { z } from 'zod';
import { defineTool, type Hooks } from '#src/index.js';
import type { ModelRequest } from '#src/models/model.js';
import type { ScriptedModel } from '#src/testing.js';
import { calls, toolFixture } from './support.ts';

export const hookFixture = (name: string): URL =>
  new URL(`../fixtures/hooks/${name}.js`, import.meta.url);

const greet = defineTool({
  name: 'greet',
  description: 'Greets.',
  input: z.object({ name: z.string() }),
  run: ({ name }) => `hello ${name}`,
});

export const tools = [greet, toolFixture('plain')];
export const greets = calls(['greet', { name: 'Ada' }]);
export const echoes = calls(['echo', { text: 'hi' }]);

/** Texts of the last user message of each request. */
export function lastTexts(model: ScriptedModel): readonly (readonly string[])[] {
  return model.requests().map(({ messages }: ModelRequest) => {
    const blocks = messages.at(-1)?.content ?? [];
    return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  });
}

/** Every hook there is, each writing what it is told into `log`. */
export function recorder(log: unknown[][]): Hooks {
  const record = (name: string, payload: unknown): null => {
    log.push([name, payload]);
    return null;
  };
  return {
    beforeRun: (payload) => record('beforeRun', payload),
    beforeTurn: (payload) => record('beforeTurn', payload),
    afterTurn: (payload) => record('afterTurn', payload),
    beforeTool: (payload) => record('beforeTool', payload),
    afterTool: (payload) => record('afterTool', payload),
    afterRun: (payload) => record('afterRun', payload),
  };
}

export const namesIn = (log: readonly unknown[][]): readonly unknown[] => log.map(([name]) => name);
