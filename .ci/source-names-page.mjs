// Makes docs/source-names.md from the names that the adapters know: node .ci/source-names-page.mjs, after a build.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The page, a table per source; `sources` has each with the maps of its adapter, from their name to ours. */
export function sourceNamesPage(sources) {
  const sections = sources.map(({ title, about, tables }) =>
    [`## ${title}`, about, ...tables.map(({ of, names }) => table(of, names))].join('\n\n'),
  );
  return `# Names of other systems

Configurations written for the systems that Troupe does the work of are taken as they are: one adapter each reads their names. This
page has all of them. It is made by \`.ci/source-names-page.mjs\` from the code.

${sections.join('\n\n')}
`;
}

function table(of, names) {
  const rows = Object.entries(names).map(([theirs, named]) => {
    const { ours, note = '' } = typeof named === 'string' ? { ours: named } : named;
    return [`\`${theirs}\``, `\`${ours}\``, note];
  });
  const cells = [[of, 'here', ''], ...rows];
  const hasNotes = rows.some(([, , note]) => note !== '');
  const widths = [0, 1, 2].map((at) => Math.max(3, ...cells.map((row) => row[at].length)));
  const line = (row) =>
    `| ${row
      .slice(0, hasNotes ? 3 : 2)
      .map((cell, at) => cell.padEnd(widths[at]))
      .join(' | ')} |`;
  return [line(cells[0]), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join(
    '\n',
  );
}

/** Fields of an agent that have an effect here. */
export const agentFields = {
  description: 'description',
  prompt: { ours: 'prompt', note: 'the text of a file' },
  tools: { ours: 'tools, toolsets', note: 'names of Claude Code are mapped' },
  disallowedTools: 'disallowedTools',
  model: { ours: 'model', note: 'an alias needs an entry in `models`' },
  skills: 'skills',
  maxTurns: 'maxTurns',
  max_turns: 'maxTurns',
  timeout_mins: { ours: 'totalTimeoutMs', note: 'in minutes there' },
  temperature: 'temperature',
  effort: 'effort',
  mcpServers: { ours: 'connectAgentServers', note: 'not a field of the definition' },
};

/** The sources, by the maps of their adapters. */
export function sourcesOf({ manager, delegation, family }) {
  return [
    {
      title: 'AstrBot: the subagent orchestrator',
      about:
        '`managerConfig(json)` of `troupe/subagent-manager` takes the object `subagent_orchestrator`, or a configuration that has it, with the keys of `dynamic_agents` there or at the top. `subagentTools(session, { config: json })` takes the same. `sourceConfig` writes it back.',
      tables: [
        { of: 'subagent_orchestrator', names: manager.topNames },
        {
          of: 'dynamic_agents',
          names: {
            enabled: 'dynamicEnabled',
            enable_dynamic: 'dynamicEnabled',
            ...manager.groupNames,
            execution_timeout: { ours: 'executionTimeoutMs', note: 'in seconds there' },
          },
        },
        { of: 'each of `agents`', names: manager.agentNames },
      ],
    },
    {
      title: 'Hermes: the group `delegation`',
      about:
        '`delegationConfig(json)` of `troupe/delegate-task` takes the group, or a configuration that has it. It returns `options` for `delegateTaskTool` and `limits` for the supervisor, which bound every tool.',
      tables: [
        {
          of: 'delegation',
          names: {
            ...delegation.delegationNames,
            child_timeout_seconds: { ours: 'childTimeoutMs', note: 'in seconds there' },
            provider: { ours: 'model.provider', note: '`anthropic` or `openai`, or a `base_url`' },
            base_url: { ours: 'model.baseUrl', note: 'wins over `provider`' },
            api_key: 'model.apiKey',
            api_mode: 'model.apiMode',
          },
        },
      ],
    },
    {
      title: 'gemini-cli: SubAgentScope',
      about:
        '`SubAgentScope.create` of `troupe/scope` takes its five configurations as they are written there, such as `max_time_minutes`, `max_turns`, `temp`, `top_p`.',
      tables: [],
    },
    {
      title: 'AgentScope',
      about:
        '`new ReActAgent(reActAgentOptions(options))` and `registry.register(cls, subAgentSpec(spec))` of `troupe/agent-family`. Names that are the same in both are not listed.',
      tables: [
        { of: 'ReActAgent', names: family.reActAgentNames },
        { of: 'SubAgentSpec', names: family.subAgentSpecNames },
      ],
    },
    {
      title: 'Claude Code: agents',
      about:
        '`claudeAgents(record)` of `troupe/claude-code` takes the option `agents` of the Claude Agent SDK; `loadAgentFiles` reads `.claude/agents`. Names of tools are in [tools.md](tools.md).',
      tables: [{ of: 'an agent', names: agentFields }],
    },
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = new URL('../', import.meta.url);
  const load = (path) => import(new URL(`dist/src/${path}`, root).href);
  const sources = sourcesOf({
    manager: await load('dialects/subagent-manager/config.js'),
    delegation: await load('dialects/delegate-task/config.js'),
    family: await load('dialects/agent-family/config.js'),
  });
  writeFileSync(new URL('docs/source-names.md', root), sourceNamesPage(sources));
}
