// Owns where warnings and errors go: the program's logger, standard error without one, nowhere with `false`.

import { isDebugging, type Level, standardError } from '../actor-system/standard-error.ts';
import type { LogFacts } from '../base/log-line.ts';
import { stackIn } from '../base/stack.ts';
import type { EventBus } from '../events/events.ts';
import type { Logger, SupervisorOptions } from './supervisor-options.ts';

type Tell = (level: Level, facts: LogFacts) => unknown;

/** Reports every `log` event, and while debugging what tools threw. */
export function logOutput(
  events: EventBus,
  logger: SupervisorOptions['logger'],
  env: Readonly<Record<string, string | undefined>>,
): void {
  if (logger === false) return;
  const tell = logger === undefined ? standardError(env) : toLogger(logger, standardError(env));
  // What a logger returns may be a promise that rejects: the bus looks after it.
  events.on('log', ({ level, message, failure, path }) => tell(level, { message, failure, path }));
  if (!isDebugging(env)) return;
  events.on('tool_completed', ({ failure, path }) => {
    if (failure === undefined || stackIn(failure) === null) return;
    return tell('warn', { message: failure.message, failure, path });
  });
}

/** What a logger fails to take is read on standard error; that it failed is the bus's to report. */
function toLogger(logger: Logger, instead: Tell): Tell {
  return (level, facts) => {
    const { message, failure, path } = facts;
    const fields = path === undefined ? {} : { path };
    const failed = (error: unknown): never => {
      instead(level, facts);
      throw error;
    };
    try {
      const given = failure === undefined ? fields : { ...fields, failure };
      const done: unknown = logger[level](given, message);
      return done instanceof Promise ? done.catch(failed) : done;
    } catch (error) {
      return failed(error);
    }
  };
}
