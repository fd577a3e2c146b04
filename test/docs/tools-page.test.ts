// Keeps the page of tools current: it is what the built-in tools say of themselves.
import { expect, test } from 'vitest';
import { systemClock as clock } from '#src/base/clock.js';
import { equivalents } from '#src/sessions/files/agent-file-tools.js';
import { fileToolset } from '#src/tools/builtin/file.js';
import { terminalToolset } from '#src/tools/builtin/terminal.js';
import { todoToolset } from '#src/tools/builtin/todo.js';
import { webToolset } from '#src/tools/builtin/web.js';
// @ts-expect-error a script is plain JavaScript
import { toolsPage } from '../../.ci/tools-page.mjs';
import { textOf } from '../architecture/tree.ts';

test('docs/tools.md is what .ci/tools-page.mjs makes of the built-in tools', () => {
  const terminal = terminalToolset({ clock, env: {}, graceMs: 0, warn: () => {} });
  const web = webToolset(clock, { search: async () => [] });

  const page = toolsPage([fileToolset, todoToolset, terminal, web], equivalents);

  expect(textOf('docs/tools.md')).toBe(page);
});
