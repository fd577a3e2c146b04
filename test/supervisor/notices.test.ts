// Checks what outlives a call (C36): notices of tools, and commands in the background whose end the agent is told of.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSupervisor, defineTool, type SupervisorOptions } from '#src/index.js';
import { type Act, acting, noticesIn } from '../field/support.ts';
import { temporaryFolder } from '../fixtures/tool-context.ts';
import { groupIsGone } from '../support/processes.ts';
import { gate, toolFixture, watched, within } from './support.ts';

type Seen = { readonly notices: readonly string[]; readonly results: readonly string[] };

/** Plays these turns; after them it goes on until it was told something, or says so at once when nothing is awaited. */
function rig(
  turnsOf: readonly Act[],
  options: Partial<SupervisorOptions> & { minNotices?: number } = {},
) {
  const { minNotices = 0, ...more } = options;
  let seen: Seen = { notices: [], results: [] };
  const model = acting((request) => {
    const results = request.messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_result' ? [String(block.content)] : [])),
    );
    seen = { notices: noticesIn(request), results };
    const act = turnsOf[request.turn - 1];
    if (act !== undefined) return act;
    return seen.notices.length >= minNotices ? { text: 'done' } : { calls: [['look', {}]] };
  });
  const look = defineTool({
    name: 'look',
    description: 'Passes a moment.',
    input: z.object({}),
    run: () => new Promise<string>((resolve) => setImmediate(() => resolve('nothing yet'))),
  });
  const { tools = [] } = more;
  const made = watched(
    createSupervisor({ model, budget: { maxTurns: 1_000_000 }, ...more, tools: [look, ...tools] }),
  );
  return { ...made, seen: () => seen };
}

const terminal = (input: object): Act => ({ calls: [['terminal', input]] });
const goal = { goal: 'a', toolsets: ['terminal'] };

/** A workspace with a pipe `go`, on which a command waits until the test lets it go on. */
function withPipe(): { workspace: string; go: () => void } {
  const workspace = temporaryFolder();
  execFileSync('mkfifo', [`${workspace}/go`]);
  return { workspace, go: () => writeFileSync(`${workspace}/go`, 'on\n') };
}

const building = 'read -r word < go; echo "built $word"; (exit 3)';

describe('a command in the background', () => {
  it('answers at once, and its end is told to the run in a message, once (C36)', async () => {
    const { workspace, go } = withPipe();
    const { supervisor, watch, seen } = rig([terminal({ command: building, background: true })], {
      workspace,
      minNotices: 1,
    });
    const handle = supervisor.start(goal);
    await watch.next('tool_completed', ({ name }) => name === 'terminal');
    go();

    const outcome = await within(handle.result(), 'the outcome');

    expect(outcome.text).toBe('done');
    expect(seen().results[0]).toBe('b1 runs in the background; you are told when it ends');
    expect(seen().notices).toEqual([
      `[Background command b1 ended]\n$ ${building}\n\nbuilt on\n[exit code 3]`,
    ]);
    expect(watch.of('steering_updated').map(({ status }) => status)).toEqual(['delivered']);
  });

  it('can be waited for, as long as it takes, and is told of by the wait alone (C36)', async () => {
    const { workspace, go } = withPipe();
    // Called beside the wait and after it: the service has the calls of a turn in their order.
    const release = defineTool({
      name: 'release',
      description: 'Lets the command go on.',
      input: z.object({}),
      run() {
        go();
        return 'released';
      },
    });
    const { supervisor, seen } = rig(
      [
        terminal({ command: building, background: true }),
        terminal({ waitFor: 'b1', timeoutMs: 1 }),
        {
          calls: [
            ['terminal', { waitFor: 'b1' }],
            ['release', {}],
          ],
        },
        terminal({ waitFor: 'b1' }),
      ],
      { workspace, tools: [release] },
    );

    await within(supervisor.delegate(goal), 'the outcome');

    expect(seen().results.slice(1)).toEqual([
      '[b1 still runs after 1 ms; you are told when it ends]',
      'built on\n[exit code 3]',
      'released',
      expect.stringContaining('no command b1 runs in the background; there runs: none'),
    ]);
    expect(seen().notices).toEqual([]);
  });

  it('ends with its agent, with all that it started, and eight are the most (C36)', async () => {
    const workspace = temporaryFolder();
    const sleeping = { command: 'echo $PPID >> groups; sleep 1000 & sleep 1000', background: true };
    const { supervisor, seen } = rig([...Array(9).fill(terminal(sleeping))], { workspace });

    await within(supervisor.delegate(goal), 'the outcome');

    expect(seen().results[8]).toMatch(/8 commands run in the background already: b1 \(echo/);
    const groups = readFileSync(`${workspace}/groups`, 'utf8').trim().split('\n').map(Number);
    for (const group of groups) await groupIsGone(group);
  });
});

describe('a notice of a tool', () => {
  it('reaches the run that called it after the call has ended, from the host (C36)', async () => {
    const { opened, open } = gate();
    const later = defineTool({
      name: 'later',
      description: 'Answers at once and says more later.',
      input: z.object({}),
      run(_input, tool) {
        void opened.then(() => tool.background.notify('The night build is green.'));
        return 'begun';
      },
    });
    const { supervisor, watch, seen } = rig([{ calls: [['later', {}]] }], {
      tools: [later],
      minNotices: 1,
    });
    const handle = supervisor.start({ goal: 'a' });
    await watch.next('tool_completed', ({ name }) => name === 'later');
    open();

    await within(handle.result(), 'the outcome');

    expect(seen().notices).toEqual(['The night build is green.']);
  });

  it('is taken from a thread tool alike, refused when it is blank, and bounded (C36)', async () => {
    const remind = (text: string) => ['remind', { text }] as const;
    const { supervisor, seen } = rig(
      [{ calls: [remind(' '), ...Array.from({ length: 65 }, (_, at) => remind(`${at}`))] }],
      { tools: [toolFixture('background')] },
    );

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');

    const { notices, results } = seen();
    expect(results[0]).toMatch(/expected a text, not blank/);
    expect(results.slice(1).map((text) => text.endsWith('true'))).toEqual([
      ...Array(64).fill(true),
      false,
    ]);
    expect(notices).toEqual(Array.from({ length: 64 }, (_, at) => `${at}`));
  });

  it('is not delivered once the run is over (C36)', async () => {
    const late = gate<() => Promise<boolean>>();
    const tell = defineTool({
      name: 'tell',
      description: 'Tells.',
      input: z.object({}),
      run(_input, { background }) {
        late.open(() => background.notify('too late'));
        return background.notify('in time').then(String);
      },
    });
    const { supervisor, seen } = rig([{ calls: [['tell', {}]] }], { tools: [tell] });

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');
    const notify = await late.opened;

    expect([seen().results, seen().notices]).toEqual([['true'], ['in time']]);
    expect(await within(notify(), 'the answer')).toBe(false);
  });
});
