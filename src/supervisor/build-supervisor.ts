// Composition root: wires kernel, threads, gateway, tools and delegation into a supervisor, and owns their shutdown.
import { Kernel, type KernelOptions } from '../actor-system/kernel.ts';
import { type Clock, ManualClock, systemClock, systemRandom } from '../base/clock.ts';
import { toFailure } from '../base/failures.ts';
import { omitUndefined } from '../base/omit-undefined.ts';
import { tsxOfProcess } from '../base/tsx.ts';
import { EventBus } from '../events/events.ts';
import { ReopeningJournal } from '../journal/reopening-journal.ts';
import { PriceTable } from '../models/budget/price-table.ts';
import { readPools } from '../models/keys/credentials.ts';
import type { GracePeriods } from '../supervision/termination.ts';
import { OpenToolsets } from '../tasks/open-toolsets.ts';
import { AgentResolver } from '../tasks/resolve/agent-resolver.ts';
import { Approvals } from '../tasks/services/approvals.ts';
import { Questions } from '../tasks/services/questions.ts';
import { TaskScheduler } from '../tasks/task-scheduler.ts';
import { WorkerPool } from '../threads/worker-pool.ts';
import { threadEnv } from '../threads/worker-profile.ts';
import { checkSupervisorOptions } from './check-supervisor-options.ts';
import { checkCredentials } from './credential-options.ts';
import { ModelRouter } from './model-router.ts';
import { ModuleDescriber } from './module-describer.ts';
import { untilQuiescent } from './quiescence.ts';
import { StreamRouter } from './stream-router.ts';
import {
  limitsOf,
  logDirectoryOf,
  parksAlways,
  type SupervisorOptions,
  workspaceOf,
} from './supervisor-options.ts';
import { timeoutFiles } from './timeout-files.ts';
import { hostToolsets } from './tool-options.ts';
import { transcriptFiles } from './transcripts.ts';
import { WorkerAgentRuntime } from './worker-agent-runtime.ts';

/** Everything one supervisor is made of; two of them share nothing. */
export type SupervisorParts = {
  readonly clock: Clock;
  readonly graces: GracePeriods;
  readonly kernel: Kernel;
  readonly events: EventBus;
  readonly streams: StreamRouter;
  readonly scheduler: TaskScheduler;
  readonly resolver: AgentResolver;
  readonly approvals: Approvals;
  readonly questions: Questions;
  readonly pool: WorkerPool;
  readonly openJob: ModelRouter['openJob'];
  /** Ends everything, in the order of rule V6; with `force`, what toolsets started does not wait for its turn. */
  close(force: boolean): Promise<void>;
};

/** Bounds of a system that no option of a program sets. */
export type KernelBounds = Pick<KernelOptions, 'maxTotalBytes'>;

/** Builds a system. Throws what is wrong with the options before anything starts. */
export function buildSupervisor(
  options: SupervisorOptions,
  bounds: KernelBounds = {},
): SupervisorParts {
  const checked = checkSupervisorOptions(options);
  const { workerUrl } = checked.threads;
  const { journal: settings } = options;
  const journal =
    settings === undefined
      ? null
      : new ReopeningJournal({ ...settings, clock: systemClock, workerUrl });
  try {
    return assemble(options, checked, bounds, journal);
  } catch (thrown) {
    // Nothing was written: what is wrong with its end is no concern of the caller.
    journal?.close().catch(() => {});
    throw thrown;
  }
}

function assemble(
  options: SupervisorOptions,
  { timeouts, budget, threads, modelRetry }: ReturnType<typeof checkSupervisorOptions>,
  bounds: KernelBounds,
  journal: ReopeningJournal | null,
): SupervisorParts {
  const credentials = checkCredentials(options.credentials);
  const { clock = systemClock } = options;
  const limits = limitsOf(options, process.env);
  const { interruptGraceMs, stopGraceMs } = timeouts;
  const graces = { interruptGraceMs, stopGraceMs };
  const events = new EventBus(clock, journal?.contents.reserved.events);
  const pool = new WorkerPool({
    clock,
    max: threads.max,
    isAlwaysNeeded: parksAlways(options, process.env),
    onNeeded: (need) => scheduler.reports.threadsNeeded(need),
    reuse: threads.reuse,
    env: process.env,
    ...omitUndefined({ idleMs: threads.idleMs, workerUrl: threads.workerUrl }),
    tsx: tsxOfProcess(process),
    onThread: (event, failure) => {
      const about = { threads: pool.size };
      if (event === 'spawned') events.emit('thread_spawned', {}, about);
      else events.emit('thread_lost', {}, { ...about, ...omitUndefined({ failure }) });
    },
    onLog: (entry) => events.emit('log', {}, entry),
  });
  const kernel = new Kernel({
    ...bounds,
    clock,
    graces,
    ...omitUndefined({ random: options.random }),
    onDeadLetter: ({ reason, to }) => events.emit('dead_letter', {}, { reason, to: to.path }),
  });
  // Turns of a run are counted by its own loop; the gateways count what only they know.
  const { maxTurns, perTree = {}, ...perRun } = budget;
  const table = new PriceTable();
  const models = new ModelRouter({
    clock,
    events,
    workerUrl: threads.workerUrl,
    credentials: readPools(credentials),
    initialModelCalls: limits.initialModelCalls,
    retry: modelRetry,
    random: options.random ?? systemRandom,
    lookUp: table.price,
    subjectOf: (agentId) => scheduler.registry.runOf(agentId)?.subject ?? { agentId },
    onDelta: (agentId, delta) => scheduler.reports.streamed(agentId, delta),
    onReserved: (agentId, bound) => scheduler.reports.reserved(agentId, bound),
    onOutageWait: (agentId, isWaiting) => scheduler.reports.outageWait(agentId, isWaiting),
  });
  const { profile = {} } = options.threads ?? {};
  const { loadTimeoutMs } = timeouts;
  // Many agents may load the same modules at once: what one thread did in time takes that many longer.
  const startTimeoutMs = 6 * loadTimeoutMs;
  const runtime = new WorkerAgentRuntime({ kernel, pool, models, startTimeoutMs });
  const resolver = new AgentResolver({
    clock,
    model: options.model,
    agents: options.agents ?? [],
    skills: options.skills ?? [],
    approval: options.approval ?? {},
    tools: options.tools ?? [],
    toolSettings: options.toolSettings ?? {},
    stubs: options.stubs,
    toolsets: hostToolsets(
      options,
      {
        clock,
        env: threadEnv(profile, process.env),
        graceMs: graces.stopGraceMs,
        warn: (message) => events.emit('log', {}, { level: 'warn', message }),
      },
      threads.workerUrl,
    ),
    defaults: {
      maxTurns,
      idleTimeoutMs: timeouts.idleTimeoutMs,
      totalTimeoutMs: timeouts.totalTimeoutMs,
      workspace: workspaceOf(options),
    },
    ceilings: { ...options.timeouts, ...options.budget },
    credentials,
    pricing: {
      prices: options.prices ?? {},
      table,
      isLimited: (perRun.maxCostUsd ?? perTree.maxCostUsd) !== undefined,
    },
    env: process.env,
    limits,
    isDurable: journal !== null,
    modules: new ModuleDescriber({ kernel, pool, loadTimeoutMs }),
    profiles: { base: profile, named: options.profiles ?? {} },
  });
  const { processRef } = kernel;
  const openToolsets = new OpenToolsets(clock, (toolset, failure) => {
    const message = `toolset ${toolset} could not close`;
    events.emit('log', {}, { level: 'error', message, failure });
  });
  const approvals = new Approvals({
    clock,
    events,
    approve: options.approve,
    timeoutMs: timeouts.approvalTimeoutMs,
    record: (run, entry) => scheduler.record(run, entry),
  });
  const questions = new Questions({ clock, events, onQuestion: options.onQuestion });
  const scheduler: TaskScheduler = new TaskScheduler({
    clock,
    processRef,
    events,
    resolver,
    runtime,
    openToolsets,
    journal,
    isRecoveredAtStart: options.journal?.recover !== 'when_asked',
    approvals,
    questions,
    limits,
    budgets: { perRun: omitUndefined(perRun), perTree: omitUndefined(perTree) },
    toolTimeoutMs: timeouts.toolTimeoutMs,
    interruptGraceMs,
    passivateAfterMs: threads.passivateAfterMs,
    diagnose: timeoutFiles({
      directory: logDirectoryOf(options),
      clock,
      events,
      credentials,
      models: [options.model, ...(options.agents ?? []).map(({ model }) => model)],
      env: process.env,
    }),
  });
  kernel.tree.observer = scheduler.reports;
  const { registry } = scheduler;
  void scheduler.recovery.run();
  const transcripts = transcriptFiles(options.transcripts?.directory, { registry, events, clock });
  if (options.keepAlive === true) processRef.enter();
  // Time that is moved by hand waits for the threads it fired into (V8).
  const stopAwaitingQuiescence =
    clock instanceof ManualClock
      ? clock.settleWith(() => untilQuiescent(pool, models, events))
      : () => {};
  if (threads.prewarm > 0) {
    void pool.prewarm(Math.min(threads.prewarm, threads.max), profile);
  }

  const reportUnclosed = (thrown: unknown): void => {
    const message = 'the supervisor closed without the end of its journal';
    events.emit('log', {}, { level: 'error', message, failure: toFailure(thrown) });
  };
  const shutDown = async (): Promise<void> => {
    scheduler.dispatch({ type: 'close' });
    await kernel.close();
    // Calls of runs that ended with their actors have still to say what came of their children.
    scheduler.giveUpWrites();
    await scheduler.drain();
    approvals.close();
    const ends = Promise.all([pool.close(), openToolsets.close(), models.close()]);
    const [unresponsive] = await processRef.during(ends);
    if (unresponsive !== null) {
      const message = 'the supervisor closed without the end of every thread';
      events.emit('log', {}, { level: 'error', message, failure: unresponsive });
    }
    stopAwaitingQuiescence();
    if (journal !== null) await processRef.during(journal.close().catch(reportUnclosed));
    if (transcripts !== null) await processRef.during(transcripts.close());
    events.close();
    processRef.close();
  };
  let closing: Promise<void> | null = null;
  const close = (force: boolean): Promise<void> => {
    closing ??= shutDown();
    return force ? Promise.all([closing, openToolsets.close()]).then(() => {}) : closing;
  };
  return {
    clock,
    graces,
    kernel,
    events,
    streams: new StreamRouter(events),
    scheduler,
    resolver,
    approvals,
    questions,
    pool,
    openJob: (budget) => models.openJob(budget),
    close,
  };
}
