// How many hours would Kipchoge run to the Moon? A host without a tool of its own asks two subagents, one that searches and
// one that fetches. `node examples/moon-run/main.js`; with `--fetch-down` the page never comes, and the host says so.
import { createSupervisor } from 'troupe';
import {
  createMsg,
  memoryHost,
  msgText,
  ReActAgent,
  SubAgentBase,
  SubagentRegistry,
  Toolkit,
} from 'troupe/agent-family';
import { models } from './models.js';
import { fetchPage, search } from './pages.js';

const isFetchDown = process.argv.includes('--fetch-down');
const { host: hostModel, ...subagentModels } = models(isFetchDown);
const say = (line) => process.stdout.write(`${line}\n`);

class SearchAgent extends SubAgentBase {
  constructor(init) {
    super(init, {
      systemPrompt: 'You search, and answer with facts and addresses.',
      model: subagentModels.search,
      tools: () => [search],
    });
  }
}

class FetchAgent extends SubAgentBase {
  constructor(init) {
    super(init, {
      systemPrompt: 'You fetch a page and answer from it.',
      model: subagentModels.fetch,
      tools: () => [fetchPage(isFetchDown)],
    });
  }
}

const supervisor = createSupervisor({ model: hostModel });
try {
  const toolkit = new Toolkit();
  const host = new ReActAgent({
    name: 'friday',
    supervisor,
    systemPrompt: 'You answer questions with the help of your subagents.',
    toolkit,
  });
  const facts = [];
  const permissions = {
    logger: { warn: (_fields, message) => say(`warning: ${message}`) },
    supervisorName: host.name,
  };
  const subagents = new SubagentRegistry({
    host: memoryHost(host),
    permissions,
    transcripts: supervisor,
    onResponse({ metadata, content }) {
      facts.push(content[0].text);
      say(`${metadata.subagent}: ${metadata.error ?? content[0].text}`);
    },
  });
  await subagents.register(SearchAgent, {
    name: 'search',
    description: 'Searches the web for facts and pages.',
    toolsAllowlist: ['search'],
  });
  await subagents.register(
    FetchAgent,
    {
      name: 'fetch',
      description: 'Fetches a page and answers a question from it.',
      toolsAllowlist: ['fetch_page'],
    },
    // A page that never comes costs no more than this.
    isFetchDown ? { permissions: { ...permissions, safetyLimits: { totalTimeoutMs: 300 } } } : {},
  );
  for (const tool of subagents.tools) toolkit.register(tool);

  const question =
    'If Kipchoge kept his marathon pace, how many thousand hours would he run to the Moon at perigee?';
  const reply = await host.reply(createMsg({ name: 'user', role: 'user', content: question }));
  say(`${host.name}: ${msgText(reply)}`);
  const hours = hoursOf(facts.join('\n'));
  if (hours !== null)
    say(`checked: ${Math.round(hours)} h, ${Math.round(hours / 1000) * 1000} hours`);
} finally {
  await supervisor.close();
}

/** The same by hand, from what the subagents found; null when something is missing. */
function hoursOf(text) {
  const pace = /([\d.]+) km in (\d+):(\d+):(\d+)/.exec(text);
  const distance = /(\d+) km away/.exec(text);
  if (pace === null || distance === null) return null;
  const [km, hours, minutes, seconds] = pace.slice(1).map(Number);
  return Number(distance[1]) / (km / (hours + minutes / 60 + seconds / 3600));
}
