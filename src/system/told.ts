// Owns who is told of warnings and errors: the program's logger, standard error without one, nobody with `false`.
import type { EventBus } from '../events.ts';
import type { LogFacts } from '../log-line.ts';
import { stackIn } from '../stack.ts';
import { isDebugging, type Level, standardError } from './standard-error.ts';
import type { Logger, SupervisorOptions } from './supervisor-options.ts';

/** Tells of every `log` event, and while debugging of what tools threw. */
export function tellOf(
  events: EventBus,
  logger: SupervisorOptions['logger'],
  env: Readonly<Record<string, string | undefined>>,
): void {
  if (logger === false) return;
  const tell = logger === undefined ? standardError(env) : toLogger(logger);
  // What a logger returns may be a promise that rejects: the bus looks after it.
  events.on('log', ({ level, message, failure, path }) => tell(level, { message, failure, path }));
  if (!isDebugging(env)) return;
  events.on('tool_completed', ({ failure, path }) => {
    if (failure === undefined || stackIn(failure) === null) return;
    return tell('warn', { message: failure.message, failure, path });
  });
}

function toLogger(logger: Logger): (level: Level, facts: LogFacts) => unknown {
  return (level, { message, failure, path }) => {
    const fields = path === undefined ? {} : { path };
    return logger[level](failure === undefined ? fields : { ...fields, failure }, message);
  };
}
