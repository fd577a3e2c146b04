// Owns the actor that describes tool and hook modules in a thread: a bad module is found before an agent starts.
import { type Behavior, behavior, next } from '../actor/behavior.ts';
import { TroupeError } from '../base/failures.ts';
import { messageAt, toFault } from '../base/stack.ts';
import { collectTools, describeTool } from '../tools/tool-module.ts';
import { collectHooks, namesOf } from './hooks.ts';

export type DescribeModule = { readonly url: string; readonly of: 'tools' | 'hooks' };

/** Answers a url with its module's tool descriptions or hook names; refuses `tool_module_failed`. */
export function toolModuleBehavior(
  importModule: (url: string) => Promise<Readonly<Record<string, unknown>>>,
): Behavior<null, DescribeModule, unknown> {
  return behavior<null, DescribeModule, unknown>({
    start: () => null,
    async receive(state, { url, of }, self) {
      try {
        const module = await importModule(url);
        self.reply(
          of === 'hooks'
            ? namesOf(collectHooks(module, url))
            : collectTools(module, url).map(describeTool),
        );
      } catch (error) {
        const fault = toFault(error, 'module_failed');
        const isOurs = fault.code === 'tool_module_failed';
        const text = isOurs ? fault.message : `${url} could not be loaded: ${messageAt(fault)}`;
        const { detail } = fault;
        const options = detail === undefined ? {} : { detail };
        self.refuse(new TroupeError('tool_module_failed', text, options));
      }
      return next(state);
    },
  });
}
