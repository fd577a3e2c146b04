// A service that streams what an agent does: GET /?goal=… answers with server-sent events. PORT, MODEL.
import { createServer } from 'node:http';
import { createSupervisor } from 'troupe';

const supervisor = createSupervisor({
  model: process.env['MODEL'] ?? 'offline',
  limits: { maxLiveAgents: 20, maxQueued: 100, overflow: 'reject' },
});
const server = createServer((request, response) => {
  const goal = new URL(request.url ?? '/', 'http://localhost').searchParams.get('goal');
  if (!goal?.trim()) return void response.writeHead(400).end('goal is missing\n');
  void supervisor.start({ goal, toolsets: ['file'] }).pipeSSE(response);
});
server.listen(Number(process.env['PORT'] ?? 3000), () =>
  process.stdout.write(`listening on ${JSON.stringify(server.address())}\n`),
);
process.once('SIGTERM', async () => {
  server.close();
  await supervisor.close();
});
