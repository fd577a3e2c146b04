// Checks agents of the operator against odd configurations: what is wrong changes nothing, names that stand for others, folders.
import { describe, expect, it } from 'vitest';
import { managerConfig } from '#src/dialects/subagent-manager/config.js';
import { subagentTools } from '#src/dialects/subagent-manager/index.js';
import { folder, on, rig, rigInManualTime } from './rig.ts';

const misuse = (expected: RegExp) =>
  expect.objectContaining({ code: 'invalid_options', message: expect.stringMatching(expected) });

describe('a configuration with something wrong in it', () => {
  it('asks for no more entries than a board holds, and changes nothing when it does (A14, A17)', () => {
    const { manager, session, offered } = rigInManualTime();
    const before = [manager.snapshot(), manager.settings.config, offered()];
    const config = { ...on, maxAgents: 7, boardEnabled: true, maxBoardEntries: 10_001 };

    expect(() => manager.configure(config)).toThrow(misuse(/maxBoardEntries is 10001/));

    expect([manager.snapshot(), manager.settings.config, offered()]).toEqual(before);
    manager.configure({ ...config, maxBoardEntries: 10_000 });
    expect(session.board.maxEntries).toBe(10_000);
  });

  it('leaves an agent out whose persona makes none, and says so (A4, A17)', () => {
    const { manager, session, watch } = rig();
    const broken = { personaOf: () => ({ tools: 'search' }) as never, runtimeTools: ['x'] };
    const config = { ...on, agents: [{ name: 'one' }, { name: 'two', persona_id: 'p' }] };
    session.tools(subagentTools(session, { config, ...broken }));

    expect(manager.agents().map(({ name }) => name)).toEqual(['one']);
    expect(watch.of('log').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^subagent "two" is not taken .*tools is "search"/),
    ]);
  });

  it('keeps its agents when a persona is wrong the next time (A4, A33)', () => {
    const agents = [{ name: 'one', persona_id: 'p' }];
    const { manager, session, watch } = rig({}, { config: { ...on, agents } });
    const broken = { personaOf: () => ({ examples: [{ role: 'nobody' }] }) as never };

    session.tools(subagentTools(session, { ...broken }));
    session.tools(subagentTools(session, { ...broken }));

    expect(manager.agents().map(({ name }) => name)).toEqual(['one']);
    expect(watch.of('log').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^subagent "one" is not taken .*examples.0.role is "nobody"/),
    ]);
  });

  it.each(['all', 'System', 'CON', 'lpt9'])('takes no agent of the name %j (A29)', (name) => {
    const { manager } = rig();

    expect(() => managerConfig({ agents: [{ name }] })).toThrow(misuse(/agents.0.name is/));
    expect(() => manager.registerStatic({ name })).toThrow(misuse(/name is/));
    expect(manager.agents()).toEqual([]);
  });
});

describe('an agent of the operator', () => {
  it('registered with another folder works in that one, and else stays where it is (A33, A63)', async () => {
    const [first, second] = [folder(), folder()];
    const { hand, manager, model } = rig({}, { config: { enabled: true } });
    manager.registerStatic({ name: 'one', workdir: first });
    await hand('one', 'a');
    manager.registerStatic({ name: 'one', workdir: first, description: 'Looks.' });
    await hand('one', 'b');
    manager.registerStatic({ name: 'one', workdir: second });
    await hand('one', 'c');

    const folders = ['a', 'b', 'c'].map((goal) => {
      return [first, second].find((path) => model.requests(goal)[0]?.system?.includes(path));
    });
    expect(folders).toEqual([first, first, second]);
  });

  it('never takes a handoff tool from the main agent (A2)', () => {
    const personaOf = () => ({ tools: ['transfer_to_two', 'search'] });
    const agents = [{ name: 'one', persona_id: 'p' }];
    const config = { ...on, agents, removeDuplicateTools: true };
    const { manager } = rig({}, { config, options: { personaOf } });

    const left = manager.mainTools([{ name: 'transfer_to_two' }, { name: 'search' }]);

    expect(left).toEqual([{ name: 'transfer_to_two' }]);
  });
});
