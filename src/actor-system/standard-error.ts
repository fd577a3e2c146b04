// Owns the default log of warnings and errors, for programs that set no listener: a line each on standard error.
import { Console } from 'node:console';
import { reportUncaught } from '../actor/report-uncaught.ts';
import { type LogFacts, logLine, logWithStack } from '../base/log-line.ts';
import type { ActorSystemOptions, SystemLog } from './actor-system-options.ts';

export type Level = 'warn' | 'error';

/** True with `TROUPE_DEBUG=1` in the environment: then the log has stacks, and what tools threw. */
export function isDebugging(env: Readonly<Record<string, string | undefined>>): boolean {
  return env['TROUPE_DEBUG'] === '1';
}

/** Writes to standard error; one that is closed or full loses the line, and nothing fails. */
export function standardError(
  env: Readonly<Record<string, string | undefined>>,
): (level: Level, facts: LogFacts) => void {
  const textOf = isDebugging(env) ? logWithStack : logLine;
  // It keeps the errors of the stream from the program, as the console of Node does.
  const stream = new Console({ stdout: process.stderr, stderr: process.stderr });
  return (level, facts) =>
    stream.error('%s', `troupe: ${level === 'warn' ? 'warning' : 'error'}: ${textOf(facts)}`);
}

/** The function that receives the log of an actor system. */
export function tellerOf(
  onLog: ActorSystemOptions['onLog'],
  env: Readonly<Record<string, string | undefined>>,
): (entry: SystemLog) => void {
  if (onLog === false) return () => {};
  if (onLog !== undefined) {
    return (entry) => {
      try {
        onLog(entry);
      } catch (error) {
        // The listener runs in the middle of the work that it reports on, which must go on.
        reportUncaught(error);
      }
    };
  }
  const tell = standardError(env);
  return ({ level, ...facts }) => tell(level, facts);
}
