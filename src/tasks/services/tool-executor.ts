// Owns how a host tool is performed for a run: which tool a name means, what its code is handed, who learns of what it does.
import { isSkillText, maxSkillChars, skillTool } from '../../agent/skill-tool.ts';
import { structuredOutputTool } from '../../agent/structured-output-tool.ts';
import type { Clock } from '../../base/clock.ts';
import { copyData } from '../../base/copy-data.ts';
import { describe, failure, toFailure } from '../../base/failures.ts';
import type { ToolResult } from '../../protocol/history.ts';
import type { HostToolCall } from '../../protocol/host-services.ts';
import type { RunEvent } from '../../protocol/run-events.ts';
import type { ApprovalReason } from '../../tools/approval-policy.ts';
import {
  deniedCommand,
  withAllowedCommands,
} from '../../tools/builtin/terminal/allowed-commands.ts';
import { type CallOptions, callTool, errorResult } from '../../tools/call.ts';
import { keepResult } from '../../tools/kept-results.ts';
import { KeptTexts } from '../../tools/kept-texts.ts';
import { ProgressGate } from '../../tools/progress-gate.ts';
import { checkProgress, checkRecordedFile } from '../../tools/reports.ts';
import type { AnyTool, ToolContext } from '../../tools/tool.ts';
import type { RunEntry } from '../journal/run-entry.ts';
import type { OpenCall } from '../open-calls.ts';
import type { OpenToolsets } from '../open-toolsets.ts';
import type { AgentSpec } from '../resolve/agent-spec.ts';
import type { Run } from '../state.ts';
import type { Approvals } from './approvals.ts';
import { asksParent, boundAskTool } from './ask-parent.ts';
import type { Delegation } from './delegation.ts';
import type { HostToolExecutor } from './host-tools.ts';
import { waitsForPersons } from './person-wait.ts';
import type { Questions } from './questions.ts';

/** What of the system the calls of a run reach. */
export type CallServices = {
  readonly clock: Clock;
  readonly openToolsets: OpenToolsets;
  readonly approvals: Approvals;
  readonly questions: Questions;
  readonly delegation: Delegation;
  readonly publish: (run: Run, event: RunEvent) => void;
  /** Writes down of a run what its thread does not report. */
  readonly note: (run: Run, entry: RunEntry) => void;
  /** What the calls of a run wait for has changed. */
  readonly onWaitChanged: (run: Run) => void;
};

export class ToolExecutor implements HostToolExecutor {
  readonly #run: Run;
  readonly #services: CallServices;
  readonly #agent: ToolContext['agent'];
  readonly #ofRun: readonly AnyTool[];
  /** Opens the toolset of a tool when it is asked for. */
  readonly #ofToolsets: (name: string) => AnyTool | undefined;
  /** Long results of tools that delegate, until the run ends. */
  #kept: KeptTexts | null = null;

  constructor(run: Run, services: CallServices) {
    const { spec } = run;
    const { workspace } = spec.shared;
    this.#run = run;
    this.#services = services;
    this.#agent = { id: run.id, name: spec.name, path: run.path, depth: run.depth };
    this.#ofRun = toolsOfRun(run, services);
    const owner = { agent: this.#agent, workspace };
    this.#ofToolsets = services.openToolsets.toolsFor(spec.hostToolsets, owner);
  }

  async execute(call: HostToolCall, open: OpenCall): Promise<ToolResult> {
    const { clock, approvals, publish } = this.#services;
    const { callId } = call;
    const progress = new ProgressGate(clock, (fraction, note) =>
      publish(this.#run, { type: 'tool_progress', callId, fraction, note }),
    );
    try {
      const tool = this.#toolOf(call.name);
      if (tool === undefined) {
        return errorResult(failure('unknown_tool', `there is no host tool ${describe(call.name)}`));
      }
      this.#kept ??= new KeptTexts();
      return await callTool(tool, call.input, this.#context(call, open, progress), {
        ...this.#limitsOf(call),
        now: () => clock.now(),
        kept: this.#kept,
        isApprovalRequired: this.#run.spec.requiredApprovals.has(call.name),
        approve: async () => {
          const { name, input } = call;
          // What would be refused after it is no question to a person.
          const denied = this.#isShell(name)
            ? deniedCommand(input, this.#run.spec.rights.commands)
            : null;
          if (denied !== null) return { status: 'denied', failure: denied };
          const about = { callId, name, input, ...askedAbout(this.#run, name) };
          const asked = approvals.ask(this.#run, about, open.signal);
          // Its agent may be parked meanwhile, as while it waits for children (V7).
          this.waitChanged();
          return asked;
        },
      });
    } catch (error) {
      return errorResult(toFailure(error, 'tool_failed'));
    } finally {
      progress.flush();
    }
  }

  waitChanged(): void {
    this.#services.onWaitChanged(this.#run);
  }

  /** Those of its run come first, then those of its agent spec. */
  #toolOf(name: string): AnyTool | undefined {
    const { hostTools, rights } = this.#run.spec;
    const tool =
      this.#ofRun.find((each) => each.name === name) ??
      hostTools.get(name) ??
      // A toolset may contain more than was granted of it; a name from a thread is not trusted (X7).
      (rights.names.has(name) ? this.#ofToolsets(name) : undefined);
    if (tool === undefined) return undefined;
    if (this.#isShell(name)) return withAllowedCommands(tool, rights.commands);
    if (!asksParent(tool)) return tool;
    return boundAskTool(tool, (asked, signal) =>
      this.#services.questions.ask(this.#run, asked, signal),
    );
  }

  #isShell(name: string): boolean {
    const { tools } = this.#run.spec.rights;
    return tools.some((each) => each.name === name && each.toolset === 'terminal');
  }

  /** How long a result may be, and where the rest goes. */
  #limitsOf(call: HostToolCall): CallOptions {
    const { id: agentId, spec } = this.#run;
    const { workspace, toolSettings } = spec.shared;
    const { maxResultChars, keepResults } = toolSettings;
    if (isSkillText(call)) return { maxResultChars: maxSkillChars };
    if (keepResults !== true) return { maxResultChars };
    const { callId } = call;
    return { maxResultChars, keep: (text) => keepResult(text, { workspace, agentId, callId }) };
  }

  /** The agent may give its thread up meanwhile (V7). */
  #wait<Value>(
    open: OpenCall,
    work: Promise<Value>,
    what: 'children' | 'answer' = 'answer',
  ): Promise<Value> {
    if (open.isOver) return work;
    const waited = this.#run.calls.waiting(open, work, what);
    this.waitChanged();
    return waited;
  }

  #context(call: HostToolCall, open: OpenCall, gate: ProgressGate): ToolContext {
    const run = this.#run;
    const { approvals, delegation, publish } = this.#services;
    const { callId } = call;
    const { signal } = open;
    return {
      signal,
      interrupted: () => signal.aborted,
      agent: this.#agent,
      progress: (fraction, note) => {
        checkProgress(fraction, note);
        // A call has no progress after its end.
        if (!open.isOver) gate.report(fraction, note);
      },
      heartbeat: () => run.touch(),
      recordFile: (path) => {
        checkRecordedFile(path);
        if (run.record.files.wants(path)) publish(run, { type: 'touched', path });
        else run.touch();
      },
      workspace: run.spec.shared.workspace,
      callId,
      promptId: call.promptId,
      idempotencyKey: `${call.runId}:${callId}`,
      delegate: (tasks, bounds) => {
        const outcomes = delegation.delegate(run, tasks, signal, { ...bounds, callId });
        return this.#wait(open, outcomes.then(copyData), 'children');
      },
      background: delegation
        .backgroundOf(run)
        .calls(signal, (work) => this.#wait(open, work, 'children'), callId),
      suspendWhile: (work) => this.#wait(open, work),
      waitForPerson: (answer) => {
        const wait = waitsForPersons(run, approvals.limit);
        return this.#wait(open, wait(answer, { callId, signal }));
      },
    };
  }
}

/** What a person is told of a tool, and why one is asked: a tool that no pattern names declares it itself. */
export function askedAbout(
  { spec }: Run,
  tool: string,
): { readonly tags: readonly string[]; readonly requiredBy: readonly ApprovalReason[] } {
  const tags = spec.shared.tools.find(({ name }) => name === tool)?.tags ?? [];
  return { tags, requiredBy: spec.requiredApprovals.get(tool) ?? [{ by: 'tool' }] };
}

/** An agent without any calls nothing on the host. */
export function hasHostTools(spec: AgentSpec): boolean {
  const { hostTools, hostToolsets, outputSchema, skills } = spec;
  const isAsked = outputSchema !== undefined || skills.length > 0;
  return isAsked || hostTools.size > 0 || hostToolsets.length > 0;
}

/** The tool by which its run answers, and the one by which it loads skills: what one run was sent, the next was not. */
function toolsOfRun(run: Run, { note }: CallServices): readonly AnyTool[] {
  const { outputSchema, skills } = run.spec;
  const answer =
    outputSchema === undefined
      ? []
      : [
          structuredOutputTool(outputSchema, (value) => {
            run.answer = { value };
            // The result of its call is written after it.
            note(run, { type: 'answered', value });
          }),
        ];
  const loading = skillTool(skills);
  return loading === null ? answer : [...answer, loading];
}
