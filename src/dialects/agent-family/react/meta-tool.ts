// Owns the tool by which a model switches its own tool groups (D21).
import { z } from 'zod';
import { defineTool } from '../../../tools/define-tool.ts';
import type { AnyTool } from '../../../tools/tool.ts';
import type { Toolkit } from './toolkit.ts';

const metaToolName = 'reset_equipped_tools';

/** One switch per group; `onReset` is called when the set of tools has changed. */
export function metaTool(toolkit: Toolkit, onReset: () => void): AnyTool {
  const groups = toolkit.groups();
  const switches = groups.map(({ name, description }) => [
    name,
    z.boolean().default(false).describe(description),
  ]);
  return defineTool({
    name: metaToolName,
    description:
      'Chooses which groups of tools you have from now on. Groups that you leave out are put away; ' +
      'the basic tools always stay.',
    input: z.object(Object.fromEntries(switches) as Record<string, z.ZodType<boolean>>),
    run(wanted) {
      const on = groups.filter(({ name }) => wanted[name] === true);
      toolkit.setActive(
        groups.map(({ name }) => name),
        false,
      );
      toolkit.setActive(
        on.map(({ name }) => name),
        true,
      );
      onReset();
      const notes = on.flatMap(({ name, notes: text }) => (text ? [`${name}: ${text}`] : []));
      const names = on.map(({ name }) => name).join(', ') || 'none';
      return [`Active tool groups: ${names}.`, ...notes].join('\n');
    },
  });
}
