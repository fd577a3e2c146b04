// Owns how each move of a storm is made: what it is aimed at, what it promises, what must hold of its receipts.
import { expect } from 'vitest';
import { delegateTaskTool } from '#src/dialects/delegate-task/index.js';
import {
  type AgentRef,
  type InterruptOptions,
  type Supervisor,
  type TaskHandle,
  TroupeError,
} from '#src/index.js';
import type { StormModel } from './model.ts';
import type { Move } from './moves.ts';
import { isEndless, isSpawned, nodesOf, pick } from './nodes.ts';
import { judgeReceipts } from './receipts.ts';
import {
  type OpenRequest,
  reportOf,
  type ScriptedAgents,
  type ScriptedTurn,
} from './scripted-agents.ts';

/** Threads that spin at one time: with more, two cores do nothing else. */
const maxSpinners = 3;
/** Roots at one time. */
const maxRoots = 6;
const refusals: ReadonlySet<unknown> = new Set([
  'unknown_task',
  'unknown_question',
  'mailbox_full',
  'max_live_agents',
  'name_taken',
  'actor_terminated',
  'interrupted',
  'stopped',
  'killed',
  'paused',
  'closed',
  'max_concurrent_children',
]);

export class Driver {
  readonly supervisor: Supervisor;
  readonly model: StormModel;
  readonly handles: TaskHandle[] = [];
  readonly agents: AgentRef[] = [];
  readonly spawns: Promise<unknown>[] = [];
  /** Everything that somebody was promised: all of it settles. */
  readonly promised = new Set<Promise<unknown>>();
  readonly sessionTasks = new Set<string>();
  /** Tasks of the session whose end was heard of. */
  readonly reported = new Set<string>();
  readonly #scripted: ScriptedAgents;
  readonly #rootKind: string;
  readonly #controls: AbortController[] = [];
  #lastGoal = 0;
  #lastSteer = 0;

  constructor(facts: {
    readonly supervisor: Supervisor;
    readonly model: StormModel;
    readonly scripted: ScriptedAgents;
    readonly rootKind: string;
  }) {
    this.supervisor = facts.supervisor;
    this.model = facts.model;
    this.#scripted = facts.scripted;
    this.#rootKind = facts.rootKind;
  }

  perform(move: Move): void {
    const { supervisor } = this;
    const session = supervisor.session('storm');
    const agent = 'at' in move ? pick(this.agents, move.at) : undefined;
    const handle = 'at' in move ? pick(this.handles.slice(-12), move.at) : undefined;
    switch (move.move) {
      case 'start':
        if (supervisor.tree().length < maxRoots) this.#start(move);
        else this.#play(this.#lastGoal, { calls: [] });
        break;
      case 'batch': {
        const control = this.#control();
        const tasks = Array.from({ length: move.width }, () => this.task('child'));
        this.promise(supervisor.delegate(tasks, { signal: control.signal }));
        break;
      }
      case 'session_call': {
        const control = this.#control();
        const tasks = Array.from({ length: move.width }, () => ({ goal: this.nextGoal('child') }));
        const box = session.tools(delegateTaskTool({ toolsets: [] }));
        this.promise(box.call('delegate_task', { tasks }, { signal: control.signal }));
        break;
      }
      case 'play': {
        const open = pick([...this.#scripted.open], move.at);
        if (open !== undefined) this.#say(open, move);
        break;
      }
      case 'interrupt': {
        const node = pick(nodesOf(supervisor.tree()), move.at);
        const target = node?.[move.by] || node?.taskId || node?.agentId;
        if (target !== undefined) this.interrupt(target, { scope: move.scope });
        break;
      }
      case 'unspin': {
        const agentId = pick([...this.model.spinners], move.at);
        const endless = nodesOf(supervisor.tree()).filter(isEndless);
        const target = agentId ?? pick(endless, move.at)?.taskId;
        if (target !== undefined) this.interrupt(target, {});
        break;
      }
      case 'steer': {
        const node = pick(nodesOf(supervisor.tree()), move.at);
        if (node !== undefined)
          this.#steer((text) => supervisor.steer(node.taskId || node.path, text));
        break;
      }
      case 'steer_root':
        if (handle !== undefined) this.#steer((text) => handle.steer(text));
        break;
      case 'pause_task':
        handle?.pause();
        break;
      case 'resume_task':
        handle?.resume();
        break;
      case 'pause':
      case 'resume':
        supervisor[move.move]();
        break;
      case 'release':
        pick([...this.#scripted.gates], move.at)?.();
        break;
      case 'answer': {
        const questionId = pick([...this.model.questions], move.at);
        if (questionId === undefined) break;
        this.model.questions.delete(questionId);
        this.allow(() => supervisor.answer(questionId, 'that way'));
        break;
      }
      case 'approve':
      case 'deny':
        pick([...this.#scripted.approvals], move.at)?.(move.move);
        break;
      case 'abort':
        pick(this.#controls, move.at)?.abort();
        break;
      case 'wait':
      case 'look': {
        const taskId = pick([...this.sessionTasks], move.at);
        if (taskId === undefined) break;
        const options = move.move === 'look' ? { timeoutMs: 0 } : {};
        const waited = session.wait(taskId, options);
        this.promise(waited.then((completion) => completion && this.#hear(completion.taskId)));
        break;
      }
      case 'acknowledge': {
        const completion = pick(session.completions(), move.at);
        if (completion === undefined) break;
        this.#hear(completion.taskId);
        expect(session.acknowledge(completion.id)).toBe(true);
        expect(session.acknowledge(completion.id)).toBe(false);
        break;
      }
      case 'spawn':
        if (this.spawns.length - this.#ended().length < 3) this.#spawn();
        break;
      case 'ask':
        if (agent === undefined) break;
        this.promise(agent.ask(this.nextGoal('child'), { timeoutMs: 600_000 }));
        break;
      case 'tell':
        agent?.tell(this.nextGoal('child'));
        break;
      case 'interrupt_run':
        if (agent !== undefined) this.promise(agent.interrupt());
        break;
      case 'stop':
      case 'kill':
        if (agent !== undefined) this.promise(agent[move.move]());
        break;
    }
  }

  #start({ how, timeout }: Extract<Move, { move: 'start' }>): void {
    const task = {
      ...this.task(this.#rootKind),
      ...(timeout ? { totalTimeoutMs: 150 } : {}),
    };
    if (how === 'task') {
      this.handles.push(this.supervisor.start(task));
      return;
    }
    const handle = this.supervisor.session('storm').start(task);
    this.handles.push(handle);
    this.sessionTasks.add(handle.id);
  }

  #spawn(): void {
    const name = `standing${this.spawns.length}`;
    const spawned = this.supervisor.spawn('puppet', { name });
    const kept = spawned.then((agent) => void this.agents.push(agent), expectRefusal);
    this.spawns.push(kept);
  }

  #ended(): readonly AgentRef[] {
    return this.agents.filter(({ status }) => status === 'ended');
  }

  #play(at: number, turn: Extract<Move, { move: 'play' }>['turn']): void {
    const open = pick([...this.#scripted.open], at);
    if (open !== undefined) open.say(this.#concrete(open, turn));
  }

  #say(open: OpenRequest, { turn }: Extract<Move, { move: 'play' }>): void {
    const spins =
      'calls' in turn && turn.calls.some(({ call }) => call === 'spin' || call === 'ignore');
    const isCrowded = spins && this.model.spinners.size >= maxSpinners;
    open.say(this.#concrete(open, isCrowded ? { calls: [] } : turn));
  }

  #concrete({ request }: OpenRequest, turn: Extract<Move, { move: 'play' }>['turn']): ScriptedTurn {
    const background = this.model.backgroundOf(request.agent.id);
    return reportOf(turn, {
      nextGoal: (kind) => this.nextGoal(kind),
      taskOf: (which) => pick(background, which) ?? 't0',
    });
  }

  /** Each agent below the target has one receipt, and is over when they are there (S4). */
  interrupt(target: string, options: InterruptOptions): void {
    const node = nodesOf(this.supervisor.tree()).find(({ taskId, agentId, path }) =>
      [taskId, agentId, path].includes(target),
    );
    // A spawned agent lives on, and so do runs that wait for it: what is below its run is covered.
    const covered = nodesOf(node === undefined ? [] : [node]).filter(
      ({ path }) => !isSpawned(path),
    );
    const receipts = this.supervisor.interrupt(target, options);
    this.promise(
      receipts.then((each) => judgeReceipts(this.model, { covered, receipts: each, target })),
    );
  }

  #steer(say: (text: string) => Promise<{ readonly id: string; readonly status: string }>): void {
    this.#lastSteer += 1;
    const receipt = say(`word ${this.#lastSteer}`).then(({ id, status }) => {
      const end = this.model.endOf(id);
      if (status !== 'queued' && status !== end) {
        this.model.faults.push(`M2: the receipt of ${id} says ${status}, its event ${end}`);
      }
    });
    this.promise(receipt);
  }

  #hear(taskId: string): void {
    // Two may wait for one end, and both hear of it.
    this.reported.add(taskId);
  }

  #control(): AbortController {
    const control = new AbortController();
    this.#controls.push(control);
    if (this.#controls.length > 4) this.#controls.shift();
    return control;
  }

  task(kind: string) {
    return { goal: this.nextGoal(kind), agent: 'puppet' };
  }

  nextGoal(kind: string): string {
    this.#lastGoal += 1;
    return `${kind} ${this.#lastGoal}`;
  }

  /** Everything settles; what it rejects with is a refusal that has a name. */
  promise(promise: Promise<unknown>): void {
    const settled: Promise<unknown> = promise
      .catch((error: unknown) => {
        const code = error instanceof TroupeError ? error.code : error;
        if (!refusals.has(code)) this.model.faults.push(`it was rejected: ${String(error)}`);
      })
      .then(() => this.promised.delete(settled));
    this.promised.add(settled);
  }

  allow(action: () => void): void {
    try {
      action();
    } catch (error) {
      expectRefusal(error);
    }
  }
}

function expectRefusal(error: unknown): void {
  expect(refusals).toContain(error instanceof TroupeError ? error.code : error);
}
