// Owns the ReAct agent: an agent of the family whose reply is one run of a supervisor, in a thread of its own (D13 to D22).
import { hooksNow } from '../../../agent/copy-settings.ts';
import type { AgentDefinition } from '../../../agent/definition.ts';
import { TroupeError } from '../../../base/failures.ts';
import type { Outcome } from '../../../base/outcome.ts';
import { describeOutcome } from '../../../tools/describe-outcome.ts';
import { AgentBase } from '../base/agent-base.ts';
import type { ReplyOptions } from '../base/hook-types.ts';
import { Memory } from '../base/memory.ts';
import {
  createMsg,
  type Msg,
  type MsgInput,
  type MsgOptions,
  msgsOf,
  msgText,
} from '../base/msg.ts';
import { chatFormatter } from './formatter.ts';
import { longTermMemoryTools } from './long-term-memory.ts';
import { metaTool } from './meta-tool.ts';
import { checkReActOptions, defaultMaxIters, type ReActAgentOptions } from './options.ts';
import { ReplyPrinter } from './reply-printer.ts';
import { goesOn, memoryHook, runHooks } from './run-hooks.ts';
import { RunMemory } from './run-memory.ts';
import type { RunningTask } from './runner.ts';
import { basicGroup, Toolkit } from './toolkit.ts';

const planGroup = 'plan_related';

/**
 * Reasons and acts until it has an answer. Its loop runs in a thread; its memory, its hooks, its tools that are objects and
 * what it prints are in this process. Rejects what the run failed with.
 */
export class ReActAgent extends AgentBase {
  /** The messages it received and sent; its model is asked with them. */
  readonly memory: Memory;
  /** The tools its model is offered. */
  readonly toolkit: Toolkit;
  readonly #options: ReActAgentOptions;
  #running: RunningTask | null = null;
  /** What keeps the memory and the active run together. */
  #following: RunMemory | null = null;
  /** Whether the run has the tools it began with; with others it goes on as another run. */
  #equipment: 'kept' | 'changed' | 'handed_on' = 'kept';

  /** Throws `invalid_options` naming the field and the value seen, `invalid_tool` for tools of one name. */
  constructor(options: ReActAgentOptions) {
    checkReActOptions(options, new.target.name);
    const { name, id, output, clock } = options;
    super({
      name,
      ...(id === undefined ? {} : { id }),
      ...(output === undefined ? {} : { output }),
      ...(clock === undefined ? {} : { clock }),
    });
    const { hooks = [] } = options;
    this.#options = { ...options, hooks: hooksNow(hooks) };
    this.memory = options.memory ?? new Memory();
    this.toolkit = options.toolkit ?? new Toolkit();
    this.#equip();
    this.registerState('memory');
    this.registerState('toolkit');
    if (options.planNotebook !== undefined) this.registerState('planNotebook');
  }

  /** The plan it follows, where it was given a notebook. */
  get planNotebook(): ReActAgentOptions['planNotebook'] {
    return this.#options.planNotebook;
  }

  /** Keeps it in its memory. */
  override async observe(input?: MsgInput): Promise<void> {
    this.memory.add(input);
  }

  override async reply(input?: MsgInput, options: ReplyOptions = {}): Promise<Msg> {
    this.memory.add(input);
    // Taken now: what goes on after its interrupt may be there when the next reply is in flight.
    const signal = this.replySignal ?? AbortSignal.abort();
    const printer = this.#printer();
    try {
      const hints = await this.#retrieve(input);
      signal.throwIfAborted();
      this.#recall(hints, printer);
      const message = await this.#run(options, { printer, signal });
      this.memory.add(message);
      await this.#record();
      return message;
    } finally {
      await printer.done();
    }
  }

  /** Printed and remembered, as any reply is. */
  override async handleInterrupt(input: MsgInput, options: ReplyOptions): Promise<Msg> {
    const message = await super.handleInterrupt(input, options);
    await this.print(message);
    this.memory.add(message);
    return message;
  }

  /** Waits for the run to end, within its supervisor's grace periods; a run that reached its goal is the reply. */
  protected override async endReply(running: Promise<Msg>): Promise<Msg | null> {
    const task = this.#running;
    if (task === null) return null;
    await task.interrupt({ reason: String(this.replySignal?.reason ?? 'interrupted') });
    // An interrupted run rejects, and the result of `handleInterrupt` is its reply.
    return running.catch(() => null);
  }

  async #run(
    options: ReplyOptions,
    { printer, signal }: { readonly printer: ReplyPrinter; readonly signal: AbortSignal },
  ): Promise<Msg> {
    const { supervisor, maxIters = defaultMaxIters } = this.#options;
    let turnsLeft = maxIters;
    for (;;) {
      this.#equipment = 'kept';
      const { task, following } = await this.#task(options, { maxTurns: turnsLeft, printer });
      signal.throwIfAborted();
      const running = supervisor.start(task);
      this.#running = running;
      this.#following = following;
      printer.follow(running.id);
      const outcome = await running.result();
      this.#running = null;
      following.follow(supervisor.transcript(outcome.taskId));
      this.#following = null;
      // Interrupted, or ended by its own hook where only its caller can interrupt it.
      const isEnded = outcome.status === 'interrupted' || outcome.error?.code === 'hook_failed';
      const isHandedOn = this.#isHandedOn && isEnded;
      // A turn that was handed on has been begun, and is asked for by the run that follows.
      turnsLeft -= outcome.turns - (isHandedOn ? 1 : 0);
      if (isHandedOn && !signal.aborted) continue;
      return this.#answer(outcome, { last: following.last, turns: maxIters - turnsLeft });
    }
  }

  get #isHandedOn(): boolean {
    return this.#equipment === 'handed_on';
  }

  async #task(
    { outputSchema }: ReplyOptions,
    { maxTurns, printer }: { readonly maxTurns: number; readonly printer: ReplyPrinter },
  ) {
    const { name, systemPrompt, model, formatter = chatFormatter, run, hooks } = this.#options;
    const { parallelToolCalls = false } = this.#options;
    const { memory } = this;
    const following = await RunMemory.open({ memory, formatter, speaker: this.#speaker, printer });
    const { goal, initialMessages } = following.task;
    const definition: AgentDefinition = {
      ...run,
      name,
      prompt: systemPrompt,
      ...(model === undefined ? {} : { model }),
      tools: this.#tools(),
      maxTurns,
      loop: { parallelToolCalls, summaryTurn: true, ...run?.loop },
      // The memory comes last: what other hooks have added to it is in this very request.
      hooks: [this.#runHooks(printer, maxTurns), ...[hooks ?? []].flat(), memoryHook(following)],
      initialMessages,
      ...(outputSchema === undefined ? {} : { outputSchema }),
    };
    const task = { goal, agent: definition, metadata: { agentId: this.id } };
    return { task, following };
  }

  #tools() {
    const { enableMetaTool = false } = this.#options;
    const tools = this.toolkit.tools();
    if (!enableMetaTool || this.toolkit.groups().length === 0) return tools;
    return [...tools, metaTool(this.toolkit, () => (this.#equipment = 'changed'))];
  }

  #runHooks(printer: ReplyPrinter, maxTurns: number) {
    const { planNotebook, enableMetaTool = false } = this.#options;
    return runHooks({
      speaker: this.#speaker,
      hasReasoning: this.hasHooks('reasoning'),
      hasActing: this.hasHooks('acting'),
      hasHints: planNotebook !== undefined,
      hint: async () => {
        const hint = planNotebook?.hint() ?? null;
        if (hint !== null) this.#showHint(hint, printer);
        return hint;
      },
      mayBeOver: enableMetaTool,
      // The closing message of a run is asked for with the tools it had.
      isOver: (turn) => this.#equipment === 'changed' && turn <= maxTurns,
      end: () => {
        this.#equipment = 'handed_on';
        return (this.#running?.interrupt({ reason: goesOn }) ?? null) !== null;
      },
      preReasoning: (args) => this.runPreHooks('reasoning', args),
      postReasoning: (args, output) => this.runPostHooks('reasoning', args, output),
      preActing: (args) => this.runPreHooks('acting', args),
      postActing: (args, output) => this.runPostHooks('acting', args, output),
    });
  }

  /** The reply an outcome comes to; throws what the run failed with. */
  #answer(
    outcome: Outcome,
    { last, turns }: { readonly last: Msg | undefined; readonly turns: number },
  ): Msg {
    const { exitReason, status, text, error, structured, taskId, usage } = outcome;
    if (status === 'interrupted') {
      this.interrupt(error?.message);
      throw new TroupeError('interrupted', error?.message ?? 'the run was interrupted');
    }
    const isClosed = exitReason === 'max_turns' && text !== '';
    if (exitReason !== 'goal' && !isClosed) {
      throw TroupeError.from(describeOutcome(outcome).reason);
    }
    const metadata = {
      exitReason,
      taskId,
      turns,
      usage: usage.subtree,
      ...(structured === undefined ? {} : { structured }),
    };
    const isGiven = last?.role === 'assistant' && msgText(last) === text;
    const content = text === '' && structured !== undefined ? JSON.stringify(structured) : text;
    if (!isGiven) return createMsg({ ...this.#speaker, role: 'assistant', content, metadata });
    // A hook may have taken it out of the memory.
    if (this.memory.has(last.id)) {
      this.memory.annotate(last.id, metadata);
    }
    return { ...last, metadata };
  }

  /** What other memories know about the input. */
  async #retrieve(input: MsgInput): Promise<readonly string[]> {
    const { knowledge = [] } = this.#options;
    const query = msgsOf(input).map(msgText).join('\n');
    const known: string[] = [];
    if (this.#isStatic)
      known.push((await this.#options.longTermMemory?.retrieve(msgsOf(input))) ?? '');
    if (query !== '') for (const base of knowledge) known.push(...(await base.retrieve(query)));
    return known.filter((text) => text.trim() !== '');
  }

  /** Remembers it ahead of the run. */
  #recall(hints: readonly string[], printer: ReplyPrinter): void {
    if (hints.length === 0) return;
    const text = `<retrieved>\n${hints.join('\n')}\n</retrieved>`;
    const { clock } = this;
    this.memory.add(createMsg({ name: 'memory', role: 'system', content: text, clock }));
    this.#showHint(text, printer);
  }

  async #record(): Promise<void> {
    if (this.#isStatic) await this.#options.longTermMemory?.record(this.memory.messages());
  }

  get #isStatic(): boolean {
    return (this.#options.longTermMemoryMode ?? 'both') !== 'agent_control';
  }

  #showHint(text: string, printer: ReplyPrinter): void {
    if (this.#options.printHintMsg !== true) return;
    const { clock } = this;
    printer.say(createMsg({ name: 'hint', role: 'system', content: text, clock }));
  }

  /** The tools of its memory and its plan; the plan's are a group of their own under the meta tool. */
  #equip(): void {
    const {
      longTermMemory,
      longTermMemoryMode = 'both',
      planNotebook,
      enableMetaTool,
    } = this.#options;
    if (longTermMemory !== undefined && longTermMemoryMode !== 'static_control') {
      for (const tool of longTermMemoryTools(longTermMemory)) this.toolkit.register(tool);
    }
    if (planNotebook === undefined) return;
    if (enableMetaTool === true) {
      this.toolkit.createGroup(planGroup, { description: planNotebook.description });
    }
    const group = enableMetaTool === true ? planGroup : basicGroup;
    for (const tool of planNotebook.tools()) this.toolkit.register(tool, group);
  }

  get #speaker(): Pick<MsgOptions, 'name' | 'clock'> {
    return { name: this.name, clock: this.clock };
  }

  #printer(): ReplyPrinter {
    return new ReplyPrinter({
      runner: this.#options.supervisor,
      speaker: this.#speaker,
      print: (message, isLast) => this.print(message, isLast),
      onCommitted: (transcript) => this.#following?.follow(transcript),
    });
  }
}
