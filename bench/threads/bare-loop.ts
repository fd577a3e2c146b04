// The floor of an agent: the loop of turns and tool calls around an instant model, without anything else. Runs in-process and as a piscina task.

/** One task: so many turns that each ask for one tool, then one that answers. */
export type BareTask = { readonly goal: string; readonly toolTurns: number };

export type BareOutcome = { readonly text: string; readonly toolCalls: number };

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly input: { a: number; b: number } }
  | { readonly type: 'tool_result'; readonly id: string; readonly content: string };

type Message = { readonly role: 'user' | 'assistant'; readonly content: readonly Block[] };

async function instantModel(messages: readonly Message[], toolTurns: number): Promise<Message> {
  const turn = (messages.length + 1) / 2;
  const asksForTool = turn <= toolTurns;
  return {
    role: 'assistant',
    content: [
      asksForTool
        ? { type: 'tool_use', id: `call-${turn}`, input: { a: 2, b: 3 } }
        : { type: 'text', text: 'done' },
    ],
  };
}

async function add({ a, b }: { readonly a: number; readonly b: number }): Promise<string> {
  return String(a + b);
}

/** Runs one task; the default export, so that piscina finds it. */
export default async function runBareLoop({ goal, toolTurns }: BareTask): Promise<BareOutcome> {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: goal }] }];
  let toolCalls = 0;
  for (;;) {
    const response = await instantModel(messages, toolTurns);
    messages.push(response);
    const [block] = response.content;
    if (block?.type !== 'tool_use')
      return { text: block?.type === 'text' ? block.text : '', toolCalls };
    toolCalls += 1;
    const content = await add(block.input);
    messages.push({ role: 'user', content: [{ type: 'tool_result', id: block.id, content }] });
  }
}
