// Owns the files about runs that timed out without an answer of their model: where, when, and what if it cannot be (C23).
import { rmSync } from 'node:fs';
import type { Clock } from '../base/clock.ts';
import { failure, reasonOf } from '../base/failures.ts';
import type { Outcome } from '../base/outcome.ts';
import type { EventBus } from '../events/events.ts';
import type { ModelEnv } from '../models/endpoint.ts';
import { credentialSource } from '../models/keys/credential-source.ts';
import type { CredentialPool } from '../models/keys/credentials.ts';
import { secretsOf, withoutSecrets } from '../models/secrets.ts';
import { needsReport, timeoutReport } from '../tasks/completion/timeout-report.ts';
import type { Run } from '../tasks/state.ts';
import { writeFresh } from './log-files.ts';

export type TimeoutFilesOptions = {
  /** Null to write none. */
  readonly directory: string | null;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly credentials: readonly CredentialPool[];
  /** What models were asked for: endpoints may bring keys. */
  readonly models: readonly unknown[];
  readonly env: ModelEnv;
};

/** Reports that are kept, as many as outcomes of ended tasks: a provider that is out for a day fills no disk. */
const maxKept = 1_000;

/**
 * Writes the report of a run that needs one, and answers where it is; null when there is nothing to report or it could
 * not be written, which is a `log`. Of its own reports the last 1,000 stay. Never throws. The file is there before the
 * outcome that names it: it is small and rare, so it is written at once.
 */
export function timeoutFiles(
  options: TimeoutFilesOptions,
): (agent: Run, outcome: Outcome) => string | null {
  const { directory, clock, events, credentials, models, env } = options;
  if (directory === null) return () => null;
  const written: string[] = [];
  const warn = (message: string, error: unknown): void => {
    const why = reasonOf(error);
    const fault = failure('log_file_failed', why);
    events.emit('log', {}, { level: 'warn', message, failure: fault });
  };
  const removeOldest = (): void => {
    const oldest = written.length > maxKept ? written.shift() : undefined;
    if (oldest === undefined) return;
    try {
      // The operator may have removed the file already.
      rmSync(oldest, { force: true });
    } catch (error) {
      warn(`the oldest report of a timeout could not be removed: ${oldest}`, error);
    }
  };
  return ({ spec, task }, outcome) => {
    if (!needsReport(outcome)) return null;
    try {
      const wallTime = clock.wallTime();
      const routes = spec.models.map(({ route }) => route);
      const own = routes.flatMap((route) => (route.route === 'gateway' ? [route.spec] : []));
      const secrets = secretsOf(env, credentials, [...models, ...own]);
      const text = timeoutReport({
        outcome,
        spec,
        task: task.task,
        events: events.kept(),
        credentials: credentialSource(spec.models[0].route, credentials, env),
        wallTime,
        clean: (line) => withoutSecrets(line, secrets),
      });
      const name = nameFor(outcome, wallTime);
      const path = writeFresh({ directory, name, extension: '.log' }, text);
      written.push(path);
      removeOldest();
      return path;
    } catch (error) {
      warn(`the report of a timeout could not be written to ${directory}`, error);
      return null;
    }
  };
}

/** A child's session is its run: one name of its agent and task ids. */
function nameFor({ agent, taskId }: Outcome, wallTime: number): string {
  const session = `${agent.id}-${taskId}`.replace(/[^\w-]/g, '_');
  const timestamp = new Date(wallTime).toISOString().replace(/[-:.]/g, '');
  return `subagent-timeout-${session}-${timestamp}`;
}
