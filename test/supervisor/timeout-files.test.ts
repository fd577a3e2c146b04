// Checks the files about runs that timed out without an answer: when there is one, what it holds, and that no key is in it.
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSupervisor, defineTool, type SupervisorOptions } from '#src/index.js';
import { ManualClock, scripted } from '#src/testing.js';
import { delegate, handsTo, named } from './family.ts';
import { superviseInManualTime, watched, within } from './support.ts';

const folders: string[] = [];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'troupe-timeouts-'));
  folders.push(path);
  return path;
}

afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

const idle = { timeouts: { idleTimeoutMs: 1_000 } };
const hangs = { default: [{ hang: true as const }] };

/** Starts a task whose model never answers, and lets its time run out. */
async function timeOut(options: Partial<SupervisorOptions>) {
  const { supervisor, watch, clock } = superviseInManualTime(hangs, { ...idle, ...options });
  const handle = supervisor.start({ goal: 'Find the goal.', context: 'four' });
  await watch.next('turn_started');
  await clock.advance(1_000);
  return { outcome: await within(handle.result(), 'the outcome'), watch };
}

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({}),
  run: async () => 'seen',
});

describe('a timeout without an answer of the model', () => {
  it('leaves a file that says what was known of the run, and the outcome says where (C21, C23, C24)', async () => {
    const logDirectory = join(folder(), 'a', 'logs');

    const { outcome } = await timeOut({ logDirectory, tools: [look] });

    const { diagnosticFile = '', agent, taskId } = outcome;
    expect(outcome).toMatchObject({ status: 'timeout', exitReason: 'idle_timeout' });
    expect(dirname(diagnosticFile)).toBe(logDirectory);
    expect(readdirSync(logDirectory)).toEqual([basename(diagnosticFile)]);
    expect(basename(diagnosticFile)).toMatch(
      new RegExp(`^subagent-timeout-${agent.id}-${taskId}-\\d{8}T\\d{9}Z\\.log$`),
    );
    const text = readFileSync(diagnosticFile, 'utf8');
    for (const line of [
      `task: ${taskId}`,
      'phase: waiting_for_model',
      'model: scripted',
      'toolsets: none',
      'tools: look (host)',
      'maxTurns: 50',
      'idleTimeoutMs: 1000',
      'goalChars: 14',
      'contextChars: 4',
      'source: the model is an object of the program and has its own',
      'timeout_fired: idle after 1000 ms, waiting_for_model',
    ]) {
      expect(text).toContain(`  ${line}\n`);
    }
    expect(text).not.toContain('Find the goal.');
  });

  it('leaves a file in the workspace when no directory is named (C23)', async () => {
    const workspace = folder();

    const clock = new ManualClock();
    const { supervisor, watch } = watched(
      createSupervisor({ model: scripted(hangs), ...idle, clock, workspace }),
    );
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started');
    await clock.advance(1_000);
    const { diagnosticFile = '' } = await within(handle.result(), 'the outcome');

    expect(dirname(diagnosticFile)).toBe(join(workspace, '.troupe', 'logs'));
  });

  it('leaves a file for a total timeout of a child, and none for its parent, whose model answered (C23)', async () => {
    const logDirectory = folder();
    const { supervisor, watch, clock } = superviseInManualTime(
      { agents: { top: [handsTo('stuck'), { text: 'done' }], stuck: [{ hang: true }] } },
      {
        logDirectory,
        tools: [delegate],
        agents: [{ name: 'top' }, { name: 'stuck', totalTimeoutMs: 5_000 }],
      },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'top' });
    await watch.next('turn_started', ({ depth }) => depth === 1);
    await clock.advance(5_000);

    const outcome = await within(handle.result(), 'the outcome');
    const { outcome: child } = await watch.next('task_completed', ({ depth }) => depth === 1);

    expect(outcome).toMatchObject({ status: 'completed' });
    expect(outcome.diagnosticFile).toBeUndefined();
    expect(child).toMatchObject({ exitReason: 'total_timeout', usage: { own: { modelCalls: 0 } } });
    expect(readdirSync(logDirectory)).toEqual([basename(child.diagnosticFile ?? '')]);
  });

  it('leaves no file with one answered call (C23)', async () => {
    const logDirectory = folder();
    const { supervisor, watch, clock } = superviseInManualTime(
      { default: [{ toolCalls: [{ name: 'look', input: {} }] }, { hang: true }] },
      { ...idle, logDirectory, tools: [look] },
    );
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started', ({ turn }) => turn === 2);
    await clock.advance(1_000);

    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome).toMatchObject({ status: 'timeout', usage: { own: { modelCalls: 1 } } });
    expect(outcome.diagnosticFile).toBeUndefined();
    expect(readdirSync(logDirectory)).toEqual([]);
  });

  it('tells of a directory that takes no file, and is a timeout all the same (C23)', async () => {
    const notAFolder = join(folder(), 'file');
    writeFileSync(notAFolder, '');

    const { outcome, watch } = await timeOut({ logDirectory: notAFolder });

    expect(outcome).toMatchObject({ status: 'timeout', error: { code: 'idle_timeout' } });
    expect(outcome.diagnosticFile).toBeUndefined();
    expect(watch.of('log')).toMatchObject([
      { level: 'warn', failure: { code: 'log_file_failed' } },
    ]);
  });

  it('leaves alone what stands there (C23)', async () => {
    const logDirectory = folder();

    const first = await timeOut({ logDirectory });
    const second = await timeOut({ logDirectory });

    const files = [first.outcome.diagnosticFile, second.outcome.diagnosticFile];
    expect(new Set(files).size).toBe(2);
    expect(readdirSync(logDirectory)).toHaveLength(2);
  });

  it('does not come while the child calls its model and its tools, for an hour (C22)', async () => {
    const turnsOfAnHour = 6;
    const step = { delayMs: 599_000, toolCalls: [{ name: 'look', input: {} }] };
    const { supervisor, watch, clock } = superviseInManualTime(
      {
        agents: {
          top: [handsTo('busy'), { text: 'done' }],
          busy: [...Array(turnsOfAnHour).fill(step), { text: 'busy done' }],
        },
      },
      { tools: [delegate, look], agents: named('top', 'busy') },
    );
    const handle = supervisor.start({ goal: 'a', agent: 'top' });
    for (let turn = 1; turn <= turnsOfAnHour; turn += 1) {
      await watch.next('turn_started', (event) => event.depth === 1 && event.turn === turn);
      await clock.advance(599_000);
    }

    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome.status).toBe('completed');
    expect(watch.of('timeout_fired')).toEqual([]);
  });
});

describe('keys', () => {
  const names = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'TROUPE_TEST_TOKEN'] as const;
  const before = names.map((name) => [name, process.env[name]] as const);
  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it.each([
    ['pool', /source: a pool of the option credentials, keys: key 1$/m],
    ['endpoint', /source: the apiKey of the endpoint itself$/m],
    ['environment', /source: the environment variable OPENAI_API_KEY$/m],
  ] as const)('from %s are never in the file, whoever says them (C24)', async (from, source) => {
    const [pooled, own, inEnv, other] = [
      'pooled/1"2%3+4-abcdefgh',
      'own+5"6/7%8-ijklmnop',
      'env-9%0"1+2/qrstuvwx',
      'other_3+4"5-yzabcdef',
    ];
    // A provider that never answers.
    const server = createServer(() => {}).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${address.port}`;
    const logDirectory = folder();
    process.env['OPENAI_API_KEY'] = inEnv;
    process.env['OPENAI_BASE_URL'] = url;
    process.env['TROUPE_TEST_TOKEN'] = other;
    const endpoint = { model: 'm', baseUrl: url, apiKey: own };
    const pools = [{ provider: 'openai' as const, baseUrl: url, keys: [pooled] }];
    const clock = new ManualClock();
    const { supervisor, watch } = watched(
      createSupervisor({
        model: from === 'endpoint' ? endpoint : 'openai:m',
        clock,
        logDirectory,
        ...idle,
        ...(from === 'pool' ? { credentials: pools } : {}),
      }),
    );
    // A program that shows keys in its errors: they are among the early messages.
    const planted = [
      ...(from === 'pool' ? [pooled] : []),
      ...(from === 'endpoint' ? [own] : []),
      inEnv,
      other,
      'sk-proj-abcdefghij***xyz',
    ];
    supervisor.on('task_started', () => {
      throw new Error(planted.join('\n'));
    });
    supervisor.on('agent_started', () => {
      throw new Error(`${'x'.repeat(1_930)} ${planted.join(' ')}`);
    });
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('turn_started');
    await clock.advance(1_000);

    const { diagnosticFile = '' } = await within(handle.result(), 'the outcome');
    await within(supervisor.close(), 'close');
    server.closeAllConnections();
    server.close();
    await once(server, 'close');

    const text = readFileSync(diagnosticFile, 'utf8');
    expect(text).toMatch(source);
    expect(text).toContain('a listener of task_started failed');
    for (const key of planted) {
      // Nor any part of one that would help.
      for (let at = 0; at + 8 <= key.length; at += 1) {
        expect(text).not.toContain(key.slice(at, at + 8));
      }
    }
  });
});
