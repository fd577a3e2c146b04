// A coding assistant for the folder it is started in: it asks you before it changes anything. MODEL, and MCP: the command of a server.
import { createInterface } from 'node:readline/promises';
import { connectMcp, createSupervisor } from 'troupe';

const [command, ...args] = process.env['MCP']?.split(' ') ?? [];
const mcp = await connectMcp({ mcpServers: command ? { own: { command, args } } : {} });
const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: '> ' });
const supervisor = createSupervisor({
  model: process.env['MODEL'] ?? 'offline',
  tools: mcp.tools,
  approval: { require: ['tag:write', 'tag:process', 'mcp__*'] },
  approve: async ({ tool, input }) =>
    'y' === (await terminal.question(`${tool} ${JSON.stringify(input)}\nrun it? [y/N] `)),
});
const assistant = await supervisor.spawn({
  name: 'assistant',
  prompt: 'You are a coding assistant. Do what the user asks, then say what you did.',
  toolsets: ['file', 'terminal', 'todo'],
});
terminal.prompt();
for await (const goal of terminal) {
  if (goal.trim()) {
    const { text, error } = await assistant.ask(goal, { timeoutMs: 3_600_000 });
    process.stdout.write(`${text || error?.message}\n`);
  }
  terminal.prompt();
}
await supervisor.close();
await mcp.close();
