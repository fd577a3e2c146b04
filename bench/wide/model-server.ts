// Process entry of a loopback server that speaks Anthropic's wire: a call of `add`, then `done`, each after a time. Prints its
// address as a line of JSON, and ends with its standard input.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

type Ask = {
  readonly stream?: boolean;
  readonly messages: readonly { readonly content: unknown }[];
};

const turnMs = Number(process.argv[2]);
const usage = {
  input_tokens: 1,
  output_tokens: 1,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};
let calls = 0;

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (part: string) => {
    body += part;
  });
  request.on('end', () => {
    const { stream, messages } = JSON.parse(body) as Ask;
    const isLast = JSON.stringify(messages.at(-1)?.content).includes('"tool_result"');
    void sleep(turnMs).then(() => answer(response, isLast, stream === true));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
process.stdin.resume().on('end', () => {
  server.close();
  server.closeAllConnections();
});

function answer(response: ServerResponse, isLast: boolean, isStream: boolean): void {
  calls += 1;
  const message = {
    id: `msg_${calls}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5',
    stop_sequence: null,
    usage,
  };
  const stop_reason = isLast ? 'end_turn' : 'tool_use';
  const text = { type: 'text', text: 'done' };
  const call = { type: 'tool_use', id: `call_${calls}`, name: 'add', input: { a: 2, b: 3 } };
  if (!isStream) {
    const content = [isLast ? text : call];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...message, content, stop_reason }));
    return;
  }
  const delta = isLast
    ? { type: 'text_delta', text: 'done' }
    : { type: 'input_json_delta', partial_json: JSON.stringify(call.input) };
  const events = [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: isLast ? { ...text, text: '' } : { ...call, input: {} },
    },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
  response.setHeader('content-type', 'text/event-stream');
  response.end(
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  );
}
