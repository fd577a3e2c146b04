// Owns the files that `troupe init` writes: a program, the module of its tool, and a test of both. Pure.

export type ProjectFile = { readonly name: string; readonly text: string };

/** What the project needs of the package that writes it. */
export type ProjectNeeds = {
  readonly engines: { readonly node: string };
  /** The packages that its files import, with their versions. */
  readonly dependencies: Readonly<Record<string, string>>;
};

// The ending .mjs means the same in a project of either module system.
export const program = 'program.mjs';
export const programTest = 'agents.test.mjs';

/** The files of a project, without the package.json. */
export const projectFiles: readonly ProjectFile[] = [
  {
    name: 'tools.mjs',
    text: `// The tools of the agents. What a module of tools exports runs in the agent's own thread.
import { defineTool } from 'troupe/tool';
import { z } from 'zod';

export const countLetters = defineTool({
  name: 'count_letters',
  description: 'Counts the letters of a word.',
  input: z.object({ word: z.string() }),
  run: ({ word }) => [...word].length,
});
`,
  },
  {
    name: 'agents.mjs',
    text: `// The agents: one task per word, all at once, each on an agent of its own.
import { createSupervisor } from 'troupe';

// "offline" calls no provider and needs no key. For a real model, with ANTHROPIC_API_KEY set, change this line:
// const defaultModel = 'anthropic:claude-sonnet-5';
const defaultModel = 'offline';

/** Resolves with one outcome per word, in their order; what fails is an outcome as well. */
export async function countAll(words, model = defaultModel) {
  const supervisor = createSupervisor({
    model,
    tools: [new URL('./tools.mjs', import.meta.url)],
  });
  try {
    return await supervisor.delegate(
      words.map((word) => ({ goal: \`Count the letters of "\${word}".\` })),
    );
  } finally {
    await supervisor.close();
  }
}
`,
  },
  {
    name: program,
    text: `// The program: node ${program}
import { countAll } from './agents.mjs';

const outcomes = await countAll(['apple', 'pineapple', 'fig']);
for (const { status, text, error } of outcomes) console.log(status, error?.message ?? text);
`,
  },
  {
    name: programTest,
    text: `// The test, on real threads and without a provider: node --test
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scripted } from 'troupe/testing';
import { countAll } from './agents.mjs';

test('one agent per word, and each calls the tool', async () => {
  const outcomes = await countAll(['apple', 'fig'], 'offline');

  assert.deepEqual(
    outcomes.map(({ status, toolCalls }) => [status, toolCalls]),
    [
      ['completed', 1],
      ['completed', 1],
    ],
  );
  assert.match(outcomes[0].text, /returned: 5/);
  assert.match(outcomes[1].text, /returned: 3/);
});

test('the answer of the model is the text of the outcome', async () => {
  const call = { name: 'count_letters', input: { word: 'fig' } };
  const model = scripted({ default: [{ toolCalls: [call] }, { text: 'A fig has 3 letters.' }] });

  const [outcome] = await countAll(['fig'], model);

  assert.equal(outcome.error, undefined);
  assert.equal(outcome.text, 'A fig has 3 letters.');
  model.assertConsumed();
});
`,
  },
];

/** The package.json of a project that has none. It has no name: that of its folder could be the name of a package it needs. */
export function packageFile({ engines, dependencies }: ProjectNeeds): ProjectFile {
  const value = {
    private: true,
    type: 'module',
    engines,
    scripts: { start: `node ${program}`, test: 'node --test' },
    dependencies,
  };
  return { name: 'package.json', text: `${JSON.stringify(value, null, 2)}\n` };
}
