// One load of T17 on the Vercel AI SDK in a process of its own: the same model, tool and turns as ours. Prints a line of JSON.
import { setTimeout as sleep } from 'node:timers/promises';
import { generateText, stepCountIs, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { z } from 'zod';

const [concurrency = 1, tasks = 1, turnMs = 0] = process.argv.slice(2).map(Number);
const [, , , , , variant = 'plain', serverUrl = ''] = process.argv;
const filler = variant === 'long' ? 'x'.repeat(200_000) : '';
const toolTurns = variant === 'turns' ? 40 : 1;
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const call = {
  content: [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'add', input: '{"a":2,"b":3}' }],
  finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
};
const answer = {
  content: [{ type: 'text', text: 'done' }],
  finishReason: { unified: 'stop', raw: 'stop' },
};

const model = variant === 'gateway' ? await provided() : mocked();
const tools = {
  add: tool({
    description: 'Adds two numbers.',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    async execute({ a, b }) {
      if (variant === 'awaits') await sleep(250);
      if (variant === 'computes') compute(20);
      return String(a + b);
    },
  }),
};

let begun = 0;
await Promise.all(
  Array.from({ length: concurrency }, async () => {
    while (begun < tasks) {
      begun += 1;
      const prompt = `task ${begun} ${filler}`;
      const { text } = await generateText({
        model,
        prompt,
        tools,
        stopWhen: stepCountIs(toolTurns + 1),
      });
      if (text !== 'done') throw new Error(text);
    }
  }),
);
process.stdout.write(`${JSON.stringify({ maxRssKib: process.resourceUsage().maxRSS })}\n`);

function mocked() {
  return new MockLanguageModelV3({
    async doGenerate({ prompt }) {
      await sleep(turnMs);
      const calls = prompt.filter(({ role }) => role === 'assistant').length;
      return { ...(calls < toolTurns ? call : answer), usage, warnings: [] };
    },
  });
}

async function provided() {
  const { createAnthropic } = await import('@ai-sdk/anthropic');
  return createAnthropic({ baseURL: `${serverUrl}/v1`, apiKey: 'any' })('claude-sonnet-5');
}

function compute(ms) {
  const since = process.cpuUsage();
  for (;;) {
    const { user, system } = process.cpuUsage(since);
    if ((user + system) / 1_000 >= ms) return;
  }
}
