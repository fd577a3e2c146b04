// Keeps the page of other systems' names current: it is what the adapters know.
import { expect, test } from 'vitest';
import { reActAgentNames, subAgentSpecNames } from '#src/dialects/agent-family/config.js';
import { delegationNames } from '#src/dialects/delegate-task/config.js';
import { agentNames, groupNames, topNames } from '#src/dialects/subagent-manager/config.js';
// @ts-expect-error a script is plain JavaScript
import { sourceNamesPage, sourcesOf } from '../../.ci/source-names-page.mjs';
import { textOf } from '../architecture/tree.ts';

test('docs/source-names.md is what .ci/source-names-page.mjs makes of the adapters', () => {
  const sources = sourcesOf({
    manager: { topNames, groupNames, agentNames },
    delegation: { delegationNames },
    family: { reActAgentNames, subAgentSpecNames },
  });

  expect(textOf('docs/source-names.md')).toBe(sourceNamesPage(sources));
});
