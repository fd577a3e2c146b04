// Checks the board on the wire: through the gateway's thread and the real SDK, after what the provider caches.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { childBoard } from '#src/dialects/subagent-manager/board-tools.js';
import { createSupervisor } from '#src/index.js';
import { type StubModelServer, startStubModelServer } from '#src/testing.js';
import { watched, within } from '../../supervisor/support.ts';

let server: StubModelServer;

beforeEach(async () => {
  server = await startStubModelServer();
});

afterEach(() => server.close());

type Block = Readonly<Record<string, unknown>>;

it('stands after the mark of the cache, in every request of a child, and the next one finds the marked prefix (A38, A65)', async () => {
  const input = { context_type: 'status', content: 'halfway' };
  server.reply({
    type: 'message',
    toolCalls: [{ id: 't1', name: 'send_shared_context', input }],
    stopReason: 'tool_use',
  });
  server.reply({ type: 'message', text: 'done' });
  const model = {
    model: 'm',
    baseUrl: server.url,
    apiKey: 'sk-test-board',
    apiMode: 'anthropic_messages' as const,
  };
  const { supervisor } = watched(createSupervisor({ model, logDirectory: false }));
  const session = supervisor.session('s1');
  session.board.turnOn();
  session.board.post({ type: 'system', content: 'Be brief.' });
  const agent = { name: 'ada', prompt: 'You are Ada.', tools: [], ...childBoard(session) };

  await within(session.run({ goal: 'Work.', agent }), 'the outcome');

  const [first = [], second = []] = server
    .requests()
    .map(({ body }) => body?.['messages'] as { content: Block[] }[]);
  const ends = [...first, ...second].map(({ content }) =>
    content.map((block) => [block['type'], block['cache_control'] !== undefined]),
  );
  const withBoard = ['text', false];
  expect(ends).toEqual([
    [['text', true], withBoard],
    [['text', true]],
    [['tool_use', false]],
    [['tool_result', true], withBoard],
  ]);
  expect(second[0]?.content[0]).toEqual(first[0]?.content[0]);
  expect(first[0]?.content[1]?.['text']).toContain('System -> all: Be brief.');
  expect(second[2]?.content[1]?.['text']).toContain('ada -> all: halfway');
  expect(JSON.stringify(server.requests())).not.toContain('isTransient');
});
