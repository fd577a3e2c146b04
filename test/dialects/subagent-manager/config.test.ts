// Checks the manager's configuration: defaults, both spellings, the way back, refusals; and what an agent's own is by default.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectiveTimeoutMs } from '#src/dialects/subagent-manager/child-definition.js';
import { managerConfig, sourceConfig } from '#src/dialects/subagent-manager/config.js';
import { subagentConfig } from '#src/dialects/subagent-manager/subagent.js';
import { defaultToolLists } from '#src/dialects/subagent-manager/tool-lists.js';
import { on, rig, sessionOf } from './rig.ts';

const theirs = {
  subagent_orchestrator: {
    main_enable: true,
    remove_main_duplicate_tools: true,
    router_system_prompt: 'Route.',
    agents: [
      {
        name: 'scout',
        persona_id: 'p1',
        public_description: 'Looks.',
        enabled: false,
        provider_id: null,
      },
    ],
    dynamic_agents: {
      enabled: true,
      max_dynamic_subagent_count: 5,
      auto_cleanup_per_turn: false,
      rule_prompt: 'Behave.',
      tools_blacklist: ['a'],
      tools_inherent: ['b'],
      time_prompt_enabled: false,
      timezone: 'Europe/Berlin',
      history_enabled: false,
      subagent_history_maxlen: 10,
      shared_context_enabled: true,
      shared_context_maxlen: 20,
      execution_timeout: 1.5,
    },
  },
};

describe('a configuration', () => {
  it('has these defaults (A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17)', () => {
    const { timeZone, ...config } = managerConfig();

    expect(config).toEqual({
      enabled: false,
      removeDuplicateTools: false,
      routerPrompt: '',
      agents: [],
      dynamicEnabled: false,
      maxAgents: 3,
      cleanupAtRunEnd: true,
      rulePrompt: '',
      blacklist: defaultToolLists.blacklist,
      inherent: defaultToolLists.inherent,
      timeEnabled: true,
      historyEnabled: true,
      maxHistoryMessages: 300,
      boardEnabled: false,
      maxBoardEntries: 300,
      executionTimeoutMs: 1_200_000,
    });
    expect(timeZone).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
  });

  it('is the same in the words of the source and in ours (A4, A5, A17)', () => {
    const ours = {
      enabled: true,
      removeDuplicateTools: true,
      routerPrompt: 'Route.',
      agents: [
        {
          name: 'scout',
          personaId: 'p1',
          description: 'Looks.',
          enabled: false,
          providerId: '',
          maxTurns: null,
          closingAnswer: false,
        },
      ],
      dynamicEnabled: true,
      maxAgents: 5,
      cleanupAtRunEnd: false,
      rulePrompt: 'Behave.',
      blacklist: ['a'],
      inherent: ['b'],
      timeEnabled: false,
      timeZone: 'Europe/Berlin',
      historyEnabled: false,
      maxHistoryMessages: 10,
      boardEnabled: true,
      maxBoardEntries: 20,
      executionTimeoutMs: 1_500,
    };

    expect(managerConfig(theirs)).toEqual(ours);
    expect(managerConfig(theirs.subagent_orchestrator)).toEqual(ours);
    expect(managerConfig(ours)).toEqual(ours);
  });

  it('takes both spellings of the switch for dynamic agents (A5)', () => {
    expect(managerConfig({ dynamic_agents: { enabled: true } }).dynamicEnabled).toBe(true);
    expect(managerConfig({ dynamic_agents: { enable_dynamic: true } }).dynamicEnabled).toBe(true);
    expect(managerConfig({ enable_dynamic: true })).toMatchObject({
      enabled: false,
      dynamicEnabled: true,
    });
  });

  it('goes out in the words of the source and comes back as it was (A82)', () => {
    for (const config of [managerConfig(), managerConfig(theirs)]) {
      expect(managerConfig(sourceConfig(config))).toEqual(config);
    }
    const whole = sourceConfig(managerConfig(theirs));
    expect(whole).toMatchObject({
      subagent_orchestrator: {
        main_enable: true,
        agents: [{ persona_id: 'p1', public_description: 'Looks.' }],
        dynamic_agents: { enabled: true, execution_timeout: 1.5 },
      },
    });
    expect(sourceConfig(managerConfig({ execution_timeout: -1 }))).toMatchObject({
      subagent_orchestrator: { dynamic_agents: { execution_timeout: -1 } },
    });
  });

  it('says a limit in seconds so that it comes back to the millisecond (A16, A82)', () => {
    const limit = fc.oneof(fc.integer({ min: -10, max: 100_000_000 }), fc.constant(0.25));

    fc.assert(
      fc.property(limit, (executionTimeoutMs) => {
        const config = managerConfig({ executionTimeoutMs });
        expect(managerConfig(sourceConfig(config))).toEqual(config);
      }),
    );
  });

  it.each([
    [{ maxAgents: -1 }, /maxAgents is -1/],
    [{ dynamic_agents: { rule_prompt: 1 } }, /rulePrompt is 1/],
    [{ timezone: 'Mars/Olympus' }, /timeZone is "Mars\/Olympus"/],
    [{ agents: [{ name: 'a b' }] }, /agents.0.name is "a b"/],
    [{ agents: [{ name: 'a' }, { name: 'a' }] }, /two agents have one name/],
    [{ nothing: 1 }, /no option "nothing"/],
    [{ enable_dynamic: true, dynamic_agents: { enabled: false } }, /said twice, true and false/],
    [7, /subagent manager is 7/],
  ])('refuses %j (A17)', (input, expected) => {
    expect(() => managerConfig(input as object)).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message: expect.stringMatching(expected),
      }),
    );
  });
});

describe('a session', () => {
  it('tells what it was configured with, and another session knows nothing of it (A17, A19)', () => {
    const { supervisor, manager, session } = rig({}, { config: { ...on, boardEnabled: true } });
    const other = sessionOf(supervisor, 'other', on);
    const before = other.manager.snapshot();

    manager.configure({ ...on, maxAgents: 9, executionTimeoutMs: 5, cleanupAtRunEnd: false });
    manager.settings.setHistoryEnabled(false);
    manager.settings.registerInherentTool('mine');

    expect(manager.settings.config).toMatchObject({
      maxAgents: 9,
      executionTimeoutMs: 5,
      cleanupAtRunEnd: false,
      historyEnabled: false,
      boardEnabled: false,
    });
    expect(manager.settings.lists.inherent).toEqual([...defaultToolLists.inherent, 'mine']);
    expect(session.board.isOn).toBe(false);
    expect(other.manager.settings.config).toMatchObject({ maxAgents: 3, historyEnabled: true });
    expect(other.manager.settings.lists).toEqual(defaultToolLists);
    expect(other.manager.snapshot()).toEqual(before);
  });

  it('turned on for the board adds tools in this session and in no other (A13, A19)', () => {
    const { supervisor, offered } = rig({}, { config: { ...on, boardEnabled: true } });
    const other = sessionOf(supervisor, 'other', on);
    const tools = ['view_shared_context', 'broadcast_shared_context'];

    expect(offered()).toEqual(expect.arrayContaining(tools));
    for (const tool of tools) expect(other.offered()).not.toContain(tool);
  });

  it('changes nothing when it is configured wrongly (A17)', () => {
    const { manager, offered } = rig();
    const before = [manager.settings.config, offered()];

    expect(() => manager.configure({ maxAgents: 'many' })).toThrow(/maxAgents is "many"/);

    expect([manager.settings.config, offered()]).toEqual(before);
  });
});

describe('a subagent’s own configuration', () => {
  it('has these defaults when only a name is said (A20)', () => {
    expect(subagentConfig({ name: 'ada' })).toEqual({
      name: 'ada',
      systemPrompt: '',
      tools: null,
      skills: null,
      providerId: null,
      description: '',
      workdir: null,
      executionTimeoutMs: 600_000,
      maxTurns: null,
      closingAnswer: false,
    });
  });

  it.each([
    [undefined, 1_200_000, 1_200_000],
    [undefined, 7, 7],
    [5, 1_200_000, 5],
    [undefined, 0, null],
    [undefined, -1, null],
    [-1, 1_200_000, null],
    [0, 1_200_000, null],
  ])(
    'with a limit of %s of its own and %s of the session runs %s ms (X1, A16, A35)',
    (own, all, limit) => {
      expect(effectiveTimeoutMs(own, managerConfig({ executionTimeoutMs: all }))).toBe(limit);
    },
  );
});
