// Checks what is not there: no subagent in the base, none in the package, no second level.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

function sources(folder: string): readonly { readonly path: string; readonly text: string }[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return { path, text: readFileSync(path, 'utf8') };
    });
}

it('keeps the base and the ReAct agent free of subagents (D12)', () => {
  const files = ['base', 'react'].flatMap((part) => sources(`src/dialects/agent-family/${part}`));

  expect(files.length).toBeGreaterThan(10);
  expect(files.filter(({ text }) => /sub-?agent/i.test(text)).map(({ path }) => path)).toEqual([]);
});

it('ships no subagent of any business: examples live outside the package (D34)', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly files: readonly string[];
  };
  const made = sources('src').filter(({ text }) =>
    /^(export )?class \w+ extends SubAgentBase\b/m.test(text),
  );

  expect(made.map(({ path }) => path)).toEqual([]);
  expect(files.some((path) => path.startsWith('examples'))).toBe(false);
});

it('has no routing, scheduling or pool of subagents (D35)', () => {
  const names = sources('src/dialects/agent-family/subagent').map(({ path }) => path);

  expect(
    names.filter((path) => /rout|schedul|pool|cache/.test(path.split('/').at(-1) ?? '')),
  ).toEqual([]);
});
