// Owns the actor that describes tool modules in a thread, so that a bad one is known before an agent starts.
import { type Behavior, behavior, next } from '../actor/behavior.ts';
import { TroupeError, toFailure } from '../errors.ts';
import { collectTools, describeTools } from '../tools/tool-module.ts';

export type DescribeTools = { readonly url: string };

/** Answers each url with the descriptions of the tools its module exports; refuses `tool_module_failed`. */
export function toolModuleBehavior(
  importModule: (url: string) => Promise<Readonly<Record<string, unknown>>>,
): Behavior<null, DescribeTools, unknown> {
  return behavior<null, DescribeTools, unknown>({
    start: () => null,
    async receive(state, { url }, self) {
      try {
        self.reply(describeTools(collectTools(await importModule(url), url)));
      } catch (error) {
        const { code, message } = toFailure(error, 'module_failed');
        const isOurs = code === 'tool_module_failed';
        const text = isOurs ? message : `${url} could not be loaded: ${message}`;
        self.refuse(new TroupeError('tool_module_failed', text));
      }
      return next(state);
    },
  });
}
