// Checks work over the board end to end, by the manager's own tools: a main agent of the tree that creates, hands over, waits, looks.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { subagentManager, subagentTools } from '#src/dialects/subagent-manager/index.js';
import { type AgentDefinition, defineAgent } from '#src/index.js';
import type { ScriptStep } from '#src/testing.js';
import { temporaryFolder } from '../../fixtures/tool-context.ts';
import { inShort, within } from '../../supervisor/support.ts';
import { resultsIn } from '../../support/directed.ts';
import {
  blocksOf,
  linesOf,
  posts,
  requestsOf,
  step,
  waitsFor,
  withBoard,
} from './board-support.ts';

type Parts = Readonly<Record<string, readonly ScriptStep[]>>;

/** A session with its board on, whose main agent has every tool of the manager. */
function salon(
  agents: Parts,
  more: Partial<AgentDefinition> = {},
  workdirs: readonly string[] = [],
) {
  const rig = withBoard({ agents });
  const { session, supervisor } = rig;
  const config = { enabled: true, dynamicEnabled: true, boardEnabled: true, timeEnabled: false };
  session.tools(
    subagentTools(session, {
      config: { ...config, timeZone: 'UTC' },
      workdirs,
      ...(more.toolsets === undefined ? {} : { toolsets: more.toolsets }),
    }),
  );
  const main = defineAgent({
    name: 'main',
    tools: [],
    ...more,
    ...subagentManager(session).mainAgent(),
  });
  const run = () =>
    within(supervisor.delegate({ goal: 'Lead.', agent: main }), 'the main agent’s outcome');
  return { ...rig, run };
}

const creates = (name: string, more: object = {}) => ({
  name: 'create_subagent',
  input: { name, system_prompt: `You are ${name}.`, ...more },
});
const handsOver = (name: string, isBackground: boolean) => ({
  name: 'transfer_to_subagent',
  input: { name, input: 'Work.', background_task: isBackground },
});
const waits = (name: string) => ({ name: 'wait_for_subagent', input: { subagent_name: name } });

describe('agents of a session', () => {
  it('work together over the board, of which the main agent sees nothing but by its view (A84, A69, A78)', async () => {
    const waiting = { tools: ['wait_for'] };
    const { model, board, run } = salon(
      {
        ada: [
          posts('status', 'ada has drafted'),
          posts('message', 'Ben, is it fine?', { target: 'ben' }),
          waitsFor('It is fine, Ada.'),
          { text: 'ada done' },
        ],
        ben: [
          waitsFor('is it fine?'),
          posts('message', 'It is fine, Ada.', { target: 'ada' }),
          posts('status', 'ben has checked'),
          { text: 'ben done' },
        ],
        cal: [{ text: 'cal done' }],
        main: [
          { toolCalls: [creates('ada', waiting), creates('ben', waiting)] },
          { toolCalls: [handsOver('ada', true), handsOver('ben', true)] },
          { toolCalls: [waits('ada'), waits('ben')] },
          step('broadcast_shared_context', { context_type: 'system', content: 'Finish now.' }),
          { toolCalls: [creates('cal')] },
          { toolCalls: [handsOver('cal', false)] },
          step('view_shared_context'),
          { text: 'all done' },
        ],
      },
      waiting,
    );

    const outcome = await run();

    expect(inShort(outcome)).toEqual(['goal', undefined, 'all done']);
    expect(linesOf(blocksOf(model, 'ben')[1])).toContain('ada -> ben: Ben, is it fine?');
    expect(linesOf(blocksOf(model, 'ada').at(-1))).toContain('ben -> ada: It is fine, Ada.');
    // Who comes later sees both statuses, the system's word first, in its first request.
    expect(linesOf(blocksOf(model, 'cal')[0])).toEqual([
      'System -> all: Finish now.',
      'ada -> ben: Ben, is it fine?',
      'ben -> ada: It is fine, Ada.',
      'ada -> all: ada has drafted',
      'ben -> all: ben has checked',
    ]);
    const mains = requestsOf(model, 'main');
    expect(mains).toHaveLength(8);
    expect(resultsIn(mains[3])).toEqual([
      [expect.stringMatching(/"ada", task 1, completed[\s\S]*ada done$/), false],
      [expect.stringMatching(/"ben", task 1, completed[\s\S]*ben done$/), false],
    ]);
    expect(resultsIn(mains[6])).toEqual([['cal done', false]]);
    expect(blocksOf(model, 'main')).toEqual(mains.map(() => ''));
    expect(JSON.stringify(mains.slice(0, 7))).not.toContain('drafted');
    const [[view] = []] = resultsIn(mains[7]);
    expect(view).toContain('ada -> all: ada has drafted');
    expect(view).toContain('ben -> all: ben has checked');
    const names = mains[0]?.tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['view_shared_context', 'broadcast_shared_context']),
    );
    expect(names).not.toContain('send_shared_context');
    expect(board.entries(), 'nobody was protected: the run is over, and the board').toEqual([]);
  });

  it('leave files in the background and say where, which a later one sees in its first request and reads (A86, A43, X5)', async () => {
    const workdir = temporaryFolder();
    const pathOf = (name: string): string => join(workdir, `${name}.md`);
    const writes = (name: string) => [
      step('write', { path: pathOf(name), content: `findings of ${name}` }),
      posts('status', `${name}'s report is in ${pathOf(name)}`),
      { text: `${name} done` },
    ];
    const names = ['ada', 'ben'];
    const { model, watch, run } = salon(
      {
        ada: writes('ada'),
        ben: writes('ben'),
        sum: [
          { toolCalls: names.map((name) => ({ name: 'read', input: { path: pathOf(name) } })) },
          { text: 'summed up' },
        ],
        main: [
          { toolCalls: names.map((name) => creates(name, { workdir })) },
          { toolCalls: names.map((name) => handsOver(name, true)) },
          { toolCalls: names.map(waits) },
          { toolCalls: [creates('sum', { workdir })] },
          { toolCalls: [handsOver('sum', false)] },
          { text: 'all done' },
        ],
      },
      // A subagent in the foreground has no more than the main agent could lend it (X7).
      { toolsets: ['file'] },
      [workdir],
    );

    const outcome = await run();

    expect(inShort(outcome)).toEqual(['goal', undefined, 'all done']);
    const [first, second] = requestsOf(model, 'sum');
    expect([...linesOf(blocksOf(model, 'sum')[0])].sort()).toEqual(
      names.map((name) => `${name} -> all: ${name}'s report is in ${pathOf(name)}`),
    );
    expect(first?.messages).toHaveLength(1);
    expect(resultsIn(second)).toEqual([
      ['findings of ada', false],
      ['findings of ben', false],
    ]);
    expect(resultsIn(requestsOf(model, 'main').at(-1))).toEqual([['summed up', false]]);
    const started = watch.of('agent_started').map(({ name, depth }) => [name, depth]);
    expect(started.at(-1), 'in the foreground it is the main agent’s child').toEqual(['sum', 1]);
  });
});
