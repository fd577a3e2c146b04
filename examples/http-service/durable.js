// The same with a journal: POST /tasks with a goal and the header `idempotency-key` is answered once the task is written down; GET
// /tasks/<id> has its result. Killed and started again it goes on with all that it has accepted. On Node 20 install `libsql`.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { createSupervisor, sqlite } from 'troupe';

const supervisor = createSupervisor({
  model: process.env.MODEL ?? 'offline',
  tools: [new URL('./tools.js', import.meta.url)],
  journal: sqlite(process.env.JOURNAL ?? './troupe.db'),
});

// A client that got no answer asks again with its key: it is the same task.
async function accept(request) {
  const idempotencyKey = request.headers['idempotency-key'];
  const handle = supervisor.start({ goal: await text(request), idempotencyKey });
  await handle.accepted();
  return { status: 202, body: { taskId: handle.id } };
}

async function result(taskId) {
  const handle = await supervisor.handle(taskId);
  const status = handle.status();
  const isEnded = ['completed', 'failed', 'interrupted', 'timeout'].includes(status);
  return {
    status: 200,
    body: isEnded ? { status, text: (await handle.result()).text } : { status },
  };
}

async function answer(request) {
  const [, what, taskId] = request.url.split('/');
  if (what !== 'tasks') return { status: 404, body: { error: 'no such route' } };
  return request.method === 'POST' ? accept(request) : result(taskId);
}

const server = createServer(async (request, response) => {
  const { status, body } = await answer(request).catch(({ code }) => ({
    status: code === 'unknown_task' ? 404 : code === 'journal_failed' ? 503 : 400,
    body: { error: code },
  }));
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
});

process.once('SIGTERM', () => {
  server.close();
  void supervisor.close(); // what runs goes on with the next process
});
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`);
});
