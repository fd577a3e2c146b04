// A service that delegates per request: POST /ask or /stream with a goal, GET /health, GET /metrics. SIGTERM ends it cleanly.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { createSupervisor } from 'troupe';

const tools = [new URL('./tools.js', import.meta.url)];
const supervisor = createSupervisor({ model: process.env.MODEL ?? 'offline', tools });
const askMs = [];

async function ask(request, response) {
  const startedAt = performance.now();
  const gone = new AbortController();
  response.once('close', () => gone.abort()); // nobody waits any more: the agent is interrupted
  const outcome = await supervisor.delegate({ goal: await text(request) }, { signal: gone.signal });
  if (askMs.push(performance.now() - startedAt) > 1_000) askMs.shift();
  return { status: outcome.status, text: outcome.text, turns: outcome.turns };
}

// Sends text and tool calls as they come; the agent is interrupted when the client leaves.
async function stream(request, response) {
  await supervisor.start({ goal: await text(request) }).pipeSSE(response);
  return null;
}

function metrics() {
  const sorted = askMs.toSorted((a, b) => a - b);
  const quantile = (q) => sorted[Math.ceil(q * sorted.length) - 1] ?? null;
  const busy = supervisor.tree().filter((agent) => agent.tool !== null).length;
  return { asks: sorted.length, p50Ms: quantile(0.5), p99Ms: quantile(0.99), busy };
}

const routes = {
  'GET /health': () => ({ ok: true }),
  'GET /metrics': metrics,
  'POST /ask': ask,
  'POST /stream': stream,
};

const server = createServer(async (request, response) => {
  const route = routes[`${request.method} ${request.url}`] ?? (() => ({ error: 'no such route' }));
  const body = await Promise.resolve(route(request, response)).catch(({ code }) => ({
    error: code,
  }));
  if (!server.listening) response.setHeader('connection', 'close');
  if (body === null) return;
  response.writeHead('error' in body ? 400 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
});

process.once('SIGTERM', () => {
  server.close();
  void supervisor.close();
});
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`);
});
