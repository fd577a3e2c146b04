// Shared arrangements of the agent family's tests: bare agents, agents of a supervisor, messages of few words. Starts no test.
import { AgentBase } from '#src/dialects/agent-family/base/agent-base.js';
import type { ReplyOptions } from '#src/dialects/agent-family/base/hook-types.js';
import { createMsg, type Msg, type MsgInput, msgsOf } from '#src/dialects/agent-family/base/msg.js';
import type { PrintedChunk } from '#src/dialects/agent-family/base/printing.js';
import type { ReActAgentOptions } from '#src/dialects/agent-family/react/options.js';
import { ReActAgent } from '#src/dialects/agent-family/react/react-agent.js';
import type { Model, ModelRequest, ModelResponse, SupervisorOptions } from '#src/index.js';
import type { Script, ScriptStep } from '#src/testing.js';
import { supervise } from '../../supervisor/support.ts';

export const msg = (content: string, name = 'user', role: Msg['role'] = 'user'): Msg =>
  createMsg({ name, role, content });

/** An agent that overrides what it must and knows nothing of hooks; it prints its reply and keeps what it observes. */
export class Parrot extends AgentBase {
  readonly observed: Msg[] = [];
  replies = 0;

  override async reply(input?: MsgInput, _options?: ReplyOptions): Promise<Msg> {
    this.replies += 1;
    const received = msgsOf(input).map(({ content }) => content);
    const message = msg(`${this.name} heard ${received.join(', ')}`, this.name, 'assistant');
    await this.print(message);
    return message;
  }

  override async observe(input?: MsgInput): Promise<void> {
    this.observed.push(...msgsOf(input));
  }
}

/** An agent whose replies end with their interrupt only. */
export class Dreamer extends Parrot {
  override reply(_input?: MsgInput, _options?: ReplyOptions): Promise<Msg> {
    return new Promise(() => {});
  }
}

export const contents = (messages: readonly Msg[]): readonly unknown[] =>
  messages.map(({ content }) => content);

/** A supervisor, and an agent `host` that runs on it; what it prints is kept. */
export function arrange(
  script: Script | readonly ScriptStep[],
  agent: Partial<ReActAgentOptions> = {},
  options: Partial<SupervisorOptions> = {},
) {
  const steps = Array.isArray(script) ? { agents: { host: script } } : (script as Script);
  const started = supervise(steps, options);
  const chunks: PrintedChunk[] = [];
  const host = new ReActAgent({
    name: 'host',
    supervisor: started.supervisor,
    systemPrompt: 'You are the host.',
    output: (chunk) => chunks.push(chunk),
    ...agent,
  });
  return { ...started, host, chunks };
}

/** The text of what was printed, piece by piece. */
export const texts = (chunks: readonly PrintedChunk[]): readonly string[] =>
  chunks.flatMap(({ block }) => (block.type === 'text' ? [block.text] : []));

type Answer = { readonly text?: string; readonly calls?: Readonly<Record<string, unknown>> };

/** A model whose answers come in one order, whichever run asks; a call past the last is an error. */
export function inOrder(answers: readonly Answer[]): Model & { readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return {
    id: 'in-order',
    asked,
    async respond(request): Promise<ModelResponse> {
      asked.push(request);
      const answer = answers[asked.length - 1];
      if (answer === undefined)
        throw new Error(`${answers.length} answers, one more was asked for`);
      const { text, calls = {} } = answer;
      const toolUses = Object.entries(calls).map(([name, input]) => ({
        type: 'tool_use' as const,
        id: `${name}-${asked.length}`,
        name,
        input,
      }));
      const content = [
        ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
        ...toolUses,
      ];
      const stopReason = toolUses.length > 0 ? 'tool_use' : 'end_turn';
      return { content, stopReason, usage, isEstimated: false, model: 'in-order' };
    },
  };
}
