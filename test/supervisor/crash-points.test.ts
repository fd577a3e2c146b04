// Checks a thread that ends at any message of its port while runs leave it and come back: each task has one end, and an
// answer is committed and counted once (W1, W3, W9, S9, O2).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pairingFault } from '#src/agent/history-repair.js';
import { textOf } from '#src/agent/turn.js';
import { createSupervisor, defineTool, type SupervisorOptions, TroupeError } from '#src/index.js';
import type { Message } from '#src/protocol/history.js';
import { type StubReply, startStubModelServer } from '#src/testing.js';
import { acting } from '../field/support.ts';
import { afterEveryTest } from '../support/after-every-test.ts';
import { toolFixture, watched, within } from './support.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEveryTest(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A thread entry of which the first thread ends at one message. */
async function mortal(way: string, at: number): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-crash-point-'));
  cleanups.push(() => rm(folder, { recursive: true }));
  const entry = new URL('../fixtures/entries/mortal-thread.js', import.meta.url);
  entry.search = new URLSearchParams({ way, at: `${at}`, once: join(folder, 'once') }).toString();
  return entry;
}

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: z.object({}),
  run: () => 'seen',
});
/** A tool of the thread, one of the service, one of the thread; then the answer. */
const wanted = [
  ['echo', { text: 'a' }],
  ['look', {}],
  ['echo', { text: 'b' }],
] as const;

type Asked = {
  readonly model: SupervisorOptions['model'];
  /** How many times it was asked. */
  count(): number;
  /** Another task can be done. */
  again(): void;
};

/** A model of the service, which is asked on the host. */
function ofService(): Asked {
  let count = 0;
  const model = acting((request, call) => {
    count += 1;
    const text = `turn ${request.turn}`;
    const tool = wanted[request.turn - 1];
    call.onDelta({ type: 'text', text });
    return tool === undefined ? { text } : { text, calls: [tool] };
  });
  return { model, count: () => count, again: () => {} };
}

/** A provider, which is asked by the thread of the gateway. */
async function ofProvider(): Promise<Asked> {
  const turns = wanted.map(
    ([name, input], at): StubReply => ({
      type: 'message',
      text: `turn ${at + 1}`,
      toolCalls: [{ id: `c${at}`, name, input }],
    }),
  );
  const last: StubReply = { type: 'message', text: 'turn 4' };
  const server = await startStubModelServer([...turns, last]);
  cleanups.push(() => server.close());
  const apiMode = 'anthropic_messages';
  const model = { model: 'claude-sonnet-5', apiMode, baseUrl: server.url, apiKey: 'any' } as const;
  const count = (): number => server.requests().length;
  return { model, count, again: () => server.reply(last) };
}

/** What the model said, as the transcript has it. */
function answersIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((each) => (each.role === 'assistant' ? [textOf(each.content)] : []));
}

describe.each([
  ['of the service', ofService],
  ['of a provider', ofProvider],
] as const)('an agent with a model %s', (_what, ask) => {
  it.each(['post', 'take'])(
    'whose thread ends at any message that it is to %s ends once, with every answer once, or goes on (W1, W3, S9)',
    async (way) => {
      let points = 0;
      for (let isReached = true; isReached; points += 1) {
        const where = `message ${points + 1}`;
        const { model, count, again } = await ask();
        const { supervisor, watch } = watched(
          createSupervisor({
            model,
            threads: { max: 1, parking: 'always', workerUrl: await mortal(way, points + 1) },
            tools: [toolFixture('plain'), look],
            logDirectory: false,
            logger: false,
          }),
        );

        const first = await within(supervisor.delegate({ goal: 'first' }), `the end at ${where}`);

        isReached = watch.of('thread_lost').length > 0;
        const answers = answersIn(supervisor.transcript(first.taskId));
        expect(answers, where).toEqual(answers.map((_, at) => `turn ${at + 1}`));
        expect(pairingFault(supervisor.transcript(first.taskId)), where).toBeNull();
        expect(watch.of('task_completed'), where).toHaveLength(1);
        const { modelCalls } = first.usage.own;
        expect(modelCalls, where).toBeGreaterThanOrEqual(answers.length);
        expect(modelCalls, where).toBeLessThanOrEqual(count());
        if (first.status === 'completed') expect(answers, where).toHaveLength(4);
        else expect(first.error, where).toMatchObject({ code: 'thread_exited' });
        if (isReached) {
          again();
          const second = await within(supervisor.delegate({ goal: 'second' }), `the next`);
          expect(second.text, where).toBe('turn 4');
        }
        await supervisor.close();
      }
      // Each way there are at least that many: a start, and what leaves and comes back three times.
      expect(points).toBeGreaterThan(6);
    },
    60_000,
  );
});

const codeOf = (error: unknown): string => (error instanceof TroupeError ? error.code : 'unknown');
const isOver = (code: string): boolean => code !== 'actor_terminated';

describe.each([true, false])('a persistent agent (survivesCrash: %j)', (survivesCrash) => {
  it.each(['post', 'take'])(
    'whose thread ends at any message that it is to %s loses at most that run, and works on each prompt once (S7, P2, W3)',
    async (way) => {
      for (let points = 1, isReached = true; isReached; points += 1) {
        const where = `message ${points}`;
        const prompts: string[] = [];
        const model = acting(({ messages }) => {
          const texts = messages.flatMap(({ role, content }) =>
            role === 'user' && content[0]?.type === 'text' ? [content[0].text] : [],
          );
          const isAnswered = messages.at(-1)?.content[0]?.type === 'tool_result';
          if (!isAnswered) prompts.push(texts.at(-1) ?? '');
          return isAnswered
            ? { text: `did ${texts.at(-1)}` }
            : { calls: [['echo', { text: 'a' }]] };
        });
        const { supervisor, watch } = watched(
          createSupervisor({
            model,
            threads: { max: 1, parking: 'always', workerUrl: await mortal(way, points) },
            tools: [toolFixture('plain')],
            agents: [{ name: 'one' }],
            logDirectory: false,
            logger: false,
          }),
        );
        const asked = ['one', 'two', 'three'];
        const ends: string[] = [];
        const spawned = supervisor.spawn('one', { name: 'p', survivesCrash });
        // Its first start may be what the thread takes with it.
        const agent = await within(spawned, where).catch(() => null);
        for (const prompt of asked) {
          if (agent === null) break;
          const answer = agent.ask(prompt, { timeoutMs: 60_000 });
          const end = await within(answer, `${prompt} at ${where}`).catch(codeOf);
          ends.push(typeof end === 'string' ? end : end.status);
          if (typeof end === 'string' || end.status !== 'completed') continue;
          expect(end.text, where).toBe(`did ${prompt}`);
        }

        isReached = watch.of('thread_lost').length > 0;
        expect(prompts, where).toEqual(asked.filter((each) => prompts.includes(each)));
        expect(ends.filter((each) => each === 'failed').length, where).toBeLessThanOrEqual(1);
        const others = ends.filter((each) => each !== 'completed' && each !== 'failed');
        // Only one that does not survive is over with its thread.
        expect(survivesCrash ? others : others.filter(isOver), where).toEqual([]);
        await supervisor.close();
      }
    },
    60_000,
  );
});
