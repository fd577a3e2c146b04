// A chat over HTTP. Each session has an agent that remembers the talk, and subagents that share a board; sessions share
// nothing. It needs no network and no key; with `--model anthropic:<model id>` a real model answers. `--agents` says how
// many agents hold a thread at a time, 16 by default: a chat that nobody talks in gives its thread up, and remembers.
//
//   node examples/chat-service/main.js
//   curl -d 'The key is under the mat.' http://127.0.0.1:8080/chat/anna
//   curl -d 'Where is the key?' http://127.0.0.1:8080/chat/anna
//   curl http://127.0.0.1:8080/chat/anna/tree
//   curl -X DELETE http://127.0.0.1:8080/chat/anna
//
// SIGTERM ends it when all that was asked is answered.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { createSupervisor } from 'troupe';
import { Chats } from './chats.js';
import { offlineModel } from './offline-model.js';

const { values } = parseArgs({
  options: { model: { type: 'string' }, agents: { type: 'string', default: '16' } },
});
const supervisor = createSupervisor({
  model: values.model ?? offlineModel,
  limits: { maxLiveAgents: Number(values.agents) },
});
const chats = new Chats(supervisor);
const noRoute = [404, { error: 'no such route' }];
const noChat = [404, { error: 'no such chat' }];

const routes = {
  async 'POST '(id, request, response) {
    const gone = new AbortController();
    response.once('close', () => gone.abort()); // nobody waits any more: the run is interrupted
    return [200, await chats.say(id, await text(request), gone.signal)];
  },
  async 'GET /tree'(id) {
    const tree = await chats.tree(id);
    return tree === null ? noChat : [200, tree];
  },
  async 'DELETE '(id) {
    return (await chats.forget(id)) ? [200, { forgotten: id }] : noChat;
  },
};

async function answered(request, response) {
  const [, id, rest] = /^\/chat\/([\w-]{1,64})(\/tree)?$/.exec(request.url) ?? [];
  const route = routes[`${request.method} ${rest ?? ''}`];
  if (id === undefined || route === undefined) return noRoute;
  try {
    return await route(id, request, response);
  } catch ({ code, message, retryable }) {
    return [retryable === true ? 503 : 400, { error: code, message }];
  }
}

const server = createServer(async (request, response) => {
  const [status, body] = await answered(request, response);
  if (!server.listening) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
});

process.once('SIGTERM', () => {
  server.close(async () => {
    await supervisor.drain();
    await supervisor.close();
  });
});
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`);
});
