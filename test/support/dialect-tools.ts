// The tools of a dialect by its name, for tests that say the same of several.
import { agentTools, taskTool } from '#src/dialects/claude-code/index.js';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import type { SessionTools } from '#src/index.js';

const dialects = { agent: agentTools, task: taskTool, 'delegate-task': delegateTaskTool };

export function dialectTools(
  name: keyof typeof dialects,
  options: { readonly timeoutMs?: number } = {},
): SessionTools {
  return dialects[name](options);
}
