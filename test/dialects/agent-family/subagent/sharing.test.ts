// Checks what a subagent shares with its host and where it stands in the tree: handles, folders, keys, slots, interrupts.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { MemoryStateStore } from '#src/dialects/agent-family/base/state-store.js';
import { memoryHost } from '#src/dialects/agent-family/subagent/context-source.js';
import type { PermissionBundle } from '#src/dialects/agent-family/subagent/permissions.js';
import { defineTool } from '#src/index.js';
import { temporaryFolder } from '../../../fixtures/tool-context.ts';
import { within } from '../../../supervisor/support.ts';
import { arrange, made, RecordingTracer, resultsIn, scout, spec } from '../subagent-support.ts';

const calls = (name: string) => ({ toolCalls: [{ name, input: { query: 'Look.' } }] });
const done = { text: 'done' };
const nothing = z.object({});

it('gives tools that run in the service the very handles of the host (D37, D44)', async () => {
  const longTermMemory = { recalled: 0 };
  const session = new MemoryStateStore();
  const lent: PermissionBundle[] = [];
  const recall = (permissions: PermissionBundle) =>
    defineTool({
      name: 'recall',
      description: 'Recalls.',
      input: nothing,
      run() {
        lent.push(permissions);
        longTermMemory.recalled += 1;
        return 'recalled';
      },
    });
  const { registry, ask, logger, tracer } = arrange(
    {
      agents: {
        host: [calls('invoke_a'), done],
        a: [{ toolCalls: [{ name: 'recall', input: {} }] }, done],
      },
    },
    { permissions: { longTermMemory, session } },
  );
  const Recalling = scout({ tools: (permissions) => [recall(permissions)] });
  await registry.register(Recalling, spec('a', { toolsAllowlist: ['recall'] }));

  await ask();

  expect(lent).toHaveLength(1);
  expect(lent[0]?.longTermMemory).toBe(longTermMemory);
  expect(lent[0]?.session).toBe(session);
  expect(lent[0]?.logger).toBe(logger);
  expect(lent[0]?.traceProvider).toBe(tracer);
  expect(lent[0]?.tokens).toBe(made.at(-1)?.permissions.tokens);
  expect(longTermMemory.recalled).toBe(1);
});

it('lets a subagent write in its own folder, made when it first runs, and nowhere else (D46)', async () => {
  const root = temporaryFolder();
  const write = (path: string) => ({
    toolCalls: [{ name: 'write', input: { path, content: 'far' } }],
  });
  const where = defineTool({
    name: 'where',
    description: 'Tells the workspace.',
    input: nothing,
    run: (_input, { workspace }) => workspace,
  });
  const { registry, ask, requestsOf } = arrange(
    {
      agents: {
        host: [calls('invoke_a'), done],
        a: [
          write('/workspace/subagents/a/moon.txt'),
          write('/workspace/moon.txt'),
          write('/internal/moon.txt'),
          { toolCalls: [{ name: 'where', input: {} }] },
          done,
        ],
      },
    },
    { permissions: { filesystem: { root } } },
  );
  const Writing = scout({ tools: () => [where] });
  await registry.register(Writing, spec('a', { toolsAllowlist: ['write', 'where'] }));
  const before = existsSync(join(root, 'subagents'));

  await ask();

  const results = requestsOf('a')
    .slice(1)
    .flatMap((request) => resultsIn(request));
  expect(before).toBe(false);
  expect(results).toEqual([
    'wrote 3 bytes to moon.txt',
    expect.stringContaining('is not in /workspace/subagents/a/'),
    expect.stringContaining('leads outside /workspace'),
    join(root, 'subagents/a'),
  ]);
  expect(readFileSync(join(root, 'subagents/a/moon.txt'), 'utf8')).toBe('far');
  expect(existsSync(join(root, 'moon.txt'))).toBe(false);
});

it('keeps a subagent’s state under its own name in the host’s store (D47)', async () => {
  const session = new MemoryStateStore();
  await session.save('seen', { by: 'host' });
  class Keeping extends scout() {
    override async delegate(
      ...args: Parameters<InstanceType<ReturnType<typeof scout>>['delegate']>
    ) {
      await this.session?.save('seen', { by: this.name });
      return super.delegate(...args);
    }
  }
  const { registry, ask } = arrange(
    { agents: { host: [calls('invoke_a'), done], a: [done] } },
    { permissions: { session } },
  );
  await registry.register(Keeping, spec('a'));

  await ask();

  expect(await session.load('seen')).toEqual({ by: 'host' });
  expect(await session.load('subagents/a/seen')).toEqual({ by: 'a' });
});

it('runs as a child of the call: with one slot for all, the host gives its own up meanwhile (D32, X4)', async () => {
  const { registry, ask, watch, supervisor } = arrange(
    { agents: { host: [calls('invoke_a'), done], a: [{ text: 'found' }] } },
    { supervisor: { limits: { maxLiveAgents: 1 } } },
  );
  await registry.register(scout(), spec('a'));

  await ask();

  expect(watch.of('agent_started').map(({ name }) => name)).toEqual(['host', 'a']);
  const ended = watch.of('task_completed').map(({ outcome }) => outcome);
  expect(ended.map(({ agent, status }) => [agent.name, status])).toEqual([
    ['a', 'completed'],
    ['host', 'completed'],
  ]);
  expect(supervisor.session('s').background()).toEqual([]);
});

it('ends with its host’s interrupt, and its call answers so (D54, X5)', async () => {
  let warn = (_fields: Readonly<Record<string, unknown>>): void => {};
  const warned = new Promise<unknown>((resolve) => {
    warn = ({ error }) => resolve(error);
  });
  const { registry, ask, watch, host, responses } = arrange(
    { agents: { host: [calls('invoke_a'), done], a: [{ hang: true }] } },
    { permissions: { logger: { warn: (fields) => warn(fields) } } },
  );
  await registry.register(scout(), spec('a'));
  const asking = ask();
  const started = await watch.next('turn_started', ({ depth }) => depth === 1);

  host.interrupt('enough');
  const reply = await within(asking, 'the reply');

  const ended = await watch.next('task_completed', ({ taskId }) => taskId === started.taskId);
  expect(ended.outcome.status).toBe('interrupted');
  expect(reply.metadata['interrupted']).toBe(true);
  expect(await within(warned, 'the warning')).toBe('interrupted');
  expect(responses).toMatchObject([{ metadata: { unavailable: true, error: 'interrupted' } }]);
});

it('nests its spans under the span of the very call, where a host has one (D48)', async () => {
  const tracer = new RecordingTracer();
  const { registry, ask, host } = arrange(
    { agents: { host: [calls('invoke_a'), done], a: [done] } },
    { permissions: { traceProvider: tracer } },
  );
  const spanOf = ({ callId }: { readonly callId: string }) =>
    tracer.startSpan(`acting ${callId}`, { parent: undefined, attributes: {} });
  await registry.register(scout(), spec('a'), { host: { ...memoryHost(host), spanOf } });

  await ask();

  expect(tracer.lines().slice(1)).toEqual([
    expect.stringMatching(/^acting \S+ < -: open$/),
    expect.stringMatching(/^execute_tool a < acting \S+: ok$/),
    'invoke_agent a < execute_tool a: ok',
  ]);
});
