// Owns one call of a hook of a run, in its thread or on the host. The loop decides which are called, and what follows.
import type { Self } from '../actor/behavior.ts';
import { copyData } from '../base/copy-data.ts';
import type { AgentArgs } from '../protocol/agent-args.ts';
import type { HookAnswer } from '../protocol/hooks.ts';
import type { HostHookCall } from '../protocol/host-services.ts';
import { askHost } from './ask-host.ts';
import { callHook, type HookCall } from './hook-call.ts';
import { readAnswer } from './hooks.ts';
import type { LoadedTools } from './loaded-tools.ts';
import { waitForPerson } from './no-clocks.ts';
import type { WorkerEnvironment } from './worker-environment.ts';

export type HookRunnerOptions = {
  readonly args: AgentArgs;
  readonly runId: string;
  readonly loaded: LoadedTools;
  readonly around: WorkerEnvironment;
  readonly self: Self;
};

/** The call of the hook at a place among those of its agent; around a tool call its place in the turn, else null. */
type AskedHook = { readonly at: number; readonly place: number | null; readonly call: HookCall };

/** Calls the hooks of one agent, wherever they run. */
export class HookRunner {
  readonly #options: HookRunnerOptions;

  constructor(options: HookRunnerOptions) {
    this.#options = options;
  }

  /** The answer of the hook at this place; rejects `hook_failed`, or with the signal's reason. */
  call(asked: AskedHook, signal: AbortSignal): Promise<HookAnswer> {
    const { loaded, args, runId, around } = this.#options;
    const { at, call } = asked;
    const module = args.spec.hooks?.[at]?.module;
    if (module === undefined) return this.#onHost(asked, signal);
    const hooks = loaded.hooks.get(module) ?? {};
    const context = { agent: { ...args.agent }, runId, signal, waitForPerson };
    // The hook receives a copy: changes that it makes to its payload have no effect.
    const reported = { ...call, subject: copyData(call.subject) } as HookCall;
    return around.runCode(() =>
      callHook(hooks, reported, context, (late) => around.abandoned(late)),
    );
  }

  async #onHost({ at, place, call }: AskedHook, signal: AbortSignal): Promise<HookAnswer> {
    const { around, self } = this.#options;
    const { name, subject } = call;
    // The host passes the conversation to its hooks from its own record, which must be complete by then.
    self.flush();
    const reported = 'messages' in subject ? { ...subject, messages: undefined } : subject;
    // Name and subject come in pairs; TypeScript forgets it over a union.
    const asked = { at, place, name, subject: reported } as HostHookCall;
    const answer = await askHost(() => around.host.callHook(asked), {
      signal,
      abort: () => around.host.abortHook({ at, place, name }),
    });
    // Judged on the host already: what is no answer of this hook did not come from it.
    return readAnswer(name, answer);
  }
}
