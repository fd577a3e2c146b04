// Shared arrangements of the manager's tests: a host loop driven by the test, children that play parts on real threads. Starts no test.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { subagentManager, subagentTools } from '#src/dialects/subagent-manager/index.js';
import type { Supervisor, SupervisorOptions, Toolbox } from '#src/index.js';
import { ManualClock } from '#src/testing.js';
import { within } from '../../supervisor/support.ts';
import { afterEveryTest } from '../../support/after-every-test.ts';
import { directing, lastGoalOf, type Parts } from '../../support/directed.ts';

const folders: string[] = [];

/** A folder that is gone after the test. */
export function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-manager-')));
  folders.push(path);
  return path;
}

afterEveryTest(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

/** Every text that a request replays, in order. */
export const textsOf = (
  request: { readonly messages: readonly { readonly content: readonly object[] }[] } | undefined,
): readonly string[] =>
  (request?.messages ?? []).flatMap(({ content }) =>
    content.flatMap((block) => ('text' in block ? [String(block.text)] : [])),
  );

/** What a test's main agent may configure; everything is on unless it says otherwise. */
export const on = { enabled: true, dynamicEnabled: true, timeEnabled: false };

type RigOptions = {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly supervisor?: Partial<SupervisorOptions>;
};

/** A supervisor and one session of it, `chat`, whose tools the test calls as a loop would. */
export function rig(
  parts: Parts = {},
  { config = on, options = {}, supervisor = {} }: RigOptions = {},
) {
  const workspace = folder();
  const made = directing(parts, { workspace, ...supervisor }, lastGoalOf);
  const chat = sessionOf(made.supervisor, 'chat', config, options);
  return { ...made, workspace, ...chat };
}

/** The same with time that stands still. */
export function rigInManualTime(parts: Parts = {}, setup: RigOptions = {}) {
  const clock = new ManualClock();
  const made = rig(parts, { ...setup, supervisor: { ...setup.supervisor, clock } });
  return { ...made, clock };
}

export function sessionOf(
  supervisor: Supervisor,
  id: string,
  config: Readonly<Record<string, unknown>> | undefined,
  options: Readonly<Record<string, unknown>> = {},
) {
  const session = supervisor.session(id);
  const tools: Toolbox = session.tools(
    subagentTools(session, { ...(config === undefined ? {} : { config }), ...options }),
  );
  const manager = subagentManager(session);
  const call = async (name: string, input: unknown = {}, more: { signal?: AbortSignal } = {}) => {
    const { content, isError } = await within(tools.call(name, input, more), name);
    return [String(content), isError] as const;
  };
  return {
    session,
    tools,
    manager,
    call,
    offered: () => tools.definitions.anthropic.map(({ name }) => name),
    /** Creates an agent as a model would. */
    create: (name: string, more: object = {}) =>
      call('create_subagent', { name, system_prompt: `You are ${name}.`, ...more }),
    /** Hands it a task in the foreground. */
    hand: (name: string, input: string) => call(`transfer_to_${name}`, { input }),
    /** Hands it a task in the background. */
    send: (name: string, input: string) =>
      call(`transfer_to_${name}`, { input, background_task: true }),
    wait: (name: string, more: object = {}) =>
      call('wait_for_subagent', { subagent_name: name, ...more }),
  };
}
