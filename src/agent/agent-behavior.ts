// Owns the agent as a behaviour: one receive is one run, control messages reach the current run. Runs in its thread.
// Leaves out limits on time, the running copy and the outcome: those are the supervisor's.
import { type Behavior, behavior, next, stop } from '../actor/behavior.ts';
import { describe, failure, TroupeError } from '../base/failures.ts';
import type { AgentArgs, RunRequest } from '../protocol/agent-args.ts';
import type { Message } from '../protocol/history.ts';
import type { AgentControl, SteerControl } from '../protocol/run-controls.ts';
import type { RunEvent } from '../protocol/run-events.ts';
import { AgentRun } from './agent-run.ts';
import { ControlsBeforeRun } from './controls-before-run.ts';
import type { LoadedTools } from './loaded-tools.ts';
import type { RunInput } from './run/run-effects.ts';
import type { WorkerEnvironment } from './worker-environment.ts';

type AgentState = {
  readonly args: AgentArgs;
  readonly loaded: LoadedTools;
  readonly memory: readonly Message[];
};

/** The behaviour of an agent; one instance serves one activation. */
export function agentBehavior(
  around: WorkerEnvironment,
): Behavior<AgentState, RunRequest, AgentArgs> {
  /** The current run, which control messages reach; null between runs. */
  let current: AgentRun | null = null;
  /** The run that was cancelled last: its message may not have arrived yet. */
  let withdrawn: { readonly runId: string; readonly reason: string } | null = null;
  /** What was durable of a run whose message may not have arrived yet. */
  let durable = { runId: '', commits: 0 };
  const before = new ControlsBeforeRun();
  return behavior<AgentState, RunRequest, AgentArgs>({
    start(args) {
      const { memory } = args;
      const loaded = around.loadedOf(args.spec);
      if (loaded instanceof Promise)
        return loaded.then((loaded) => ({ args, loaded: loaded, memory }));
      return { args, loaded, memory };
    },

    async receive(state, request, self) {
      if (request.type !== 'run') {
        throw new TroupeError(
          'not_serializable',
          `an agent is sent runs, it got ${describe(request)}`,
        );
      }
      const { runId } = request;
      const { resume } = state.args;
      const from = resume?.runId === runId ? resume : request;
      const early = before.begin(runId, from.steers, from === resume && resume.isPaused);
      const { args, loaded, memory } = state;
      const known = durable.runId === runId ? durable.commits : 0;
      const options = { args, loaded, memory, request, around, self, early };
      const run = new AgentRun({ ...options, durable: known });
      current = run;
      const why = withdrawn?.runId === runId ? failure('interrupted', withdrawn.reason) : null;
      const end = await run.toEnd(why).finally(() => {
        current = null;
      });
      self.publish({ type: 'run_ended', runId, end } satisfies RunEvent);
      return state.args.endsWithRun ? stop() : next({ ...state, memory: run.memory });
    },

    control(message) {
      const control = message as AgentControl;
      if (control.type === 'cancel') withdrawn = control;
      switch (control.type) {
        case 'steer':
        case 'retract':
        case 'pause':
        case 'resume':
          // The message of their run may not have arrived yet, and that of an earlier run may come late.
          if (current === null) before.receive(control);
          else if (current.state.runId === control.runId) current.take(inputOf(control));
          break;
        case 'cancel':
          // It has begun already: the interrupt reaches it.
          break;
        case 'durable':
          durable = control;
          if (current?.state.runId === control.runId) current.durable(control.commits);
          break;
        case 'tool_timeout':
          current?.timeOut(control.callId, control.timeoutMs);
          break;
        case 'park':
          current?.leave.request();
          break;
      }
    },
  });
}

/** What a control message means to the run that it is for. */
function inputOf(control: SteerControl): RunInput {
  switch (control.type) {
    case 'steer':
      return { type: 'steer', steer: control.steer };
    case 'retract':
      return { type: 'retract', id: control.id };
    case 'pause':
    case 'resume':
      return { type: control.type };
  }
}
