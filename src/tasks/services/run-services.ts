// Owns what an activation of an agent is given: its start arguments, its host tools and hooks, what its thread may call.
import type { Address } from '../../actor/address.ts';
import { fromStored } from '../../agent/prompt/preamble.ts';
import { TroupeError } from '../../base/failures.ts';
import type { OwnArgs } from '../../protocol/agent-args.ts';
import type { Message } from '../../protocol/history.ts';
import type { AgentActivation, AgentRuntime } from '../agent-runtime.ts';
import { takeSteers } from '../delivery.ts';
import { resumePoint } from '../parking.ts';
import type { Agent, Run } from '../state.ts';
import { AgentServices } from './agent-services.ts';
import { HostHooks } from './host-hooks.ts';
import { HostTools } from './host-tools.ts';
import { waitsForPersons } from './person-wait.ts';
import { type CallServices, hasHostTools, ToolExecutor } from './tool-executor.ts';

/** What of the system an agent's calls reach, beside what the scheduler is made of. */
export type RunResources = Pick<CallServices, 'openToolsets' | 'approvals' | 'questions'> & {
  readonly runtime: AgentRuntime;
};

export class RunServices {
  readonly #options: CallServices;

  constructor(options: CallServices) {
    this.#options = options;
  }

  /** What the agent's next activation is made of; asked again for each activation. */
  activationOf(agent: Agent): AgentActivation {
    return {
      spec: agent.spec,
      accounts: agent.run?.budget.accounts ?? [],
      isContinued: agent.run?.thread.hasLeft === true,
      args: (address) => argsOf(agent, address),
      memory: () => memoryOf(agent),
      services: new AgentServices(agent, this.#options),
      interrupted: (reason) => agent.run?.over.end(new TroupeError('interrupted', reason)),
    };
  }

  hostToolsOf(run: Run): HostTools | null {
    if (!hasHostTools(run.spec)) return null;
    return new HostTools(run, new ToolExecutor(run, this.#options));
  }

  hostHooksOf(run: Run): HostHooks | null {
    if (run.spec.hostHooks.size === 0) return null;
    const { publish, onWaitChanged, approvals } = this.#options;
    return new HostHooks(run, {
      onFailed: (failure) => publish(run, { type: 'hook_failed', failure }),
      waitForPerson: waitsForPersons(run, approvals.limit),
      onWaitChanged: () => onWaitChanged(run),
    });
  }
}

function argsOf({ spec, depth, run, lifetime }: Agent, address: Address): OwnArgs {
  const agent = { id: address.id, name: spec.name, path: address.path, depth };
  const own = { agent, endsWithRun: lifetime === 'task' };
  const resume = run === null ? null : resumePoint(run);
  if (run === null || resume === null) return own;
  const { steers, isPaused } = run.task;
  return { ...own, resume: { ...resume, ...takeSteers(steers), isPaused } };
}

function memoryOf({ run, memory, path }: Agent): readonly Message[] {
  // Only a run that was parked has anything to remember when an activation begins.
  if (run !== null && resumePoint(run) !== null) return run.record.messages;
  const { history } = run?.task.task ?? {};
  if (history !== undefined) return fromStored(history);
  if (memory === null) throw new Error(`${path} is activated without its memory`);
  return memory;
}
