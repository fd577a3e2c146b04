// Three poets write at the same time, in the background, while the main agent does something itself. It waits for one of
// them, asks that one again and stands by, then collects the others: `node examples/three-poets/main.js`
import { createSupervisor, defineAgent, defineTool } from 'troupe';
import { subagentManager } from 'troupe/subagent-manager';
import { z } from 'zod';
import { poetry } from './model.js';

const say = (line) => process.stdout.write(`${line}\n`);
const names = ['ada', 'ben', 'cleo'];

// No poet finds a word before the window is open, and it is opened only once all three sit over their paper: were they
// asked one after another, nobody would ever write a line.
const everybodySits = gate();
const windowIsOpen = gate();
let sitting = 0;

async function inspired() {
  sitting += 1;
  if (sitting === names.length) everybodySits.open();
  await windowIsOpen.opened;
}

const openWindow = defineTool({
  name: 'open_window',
  description: 'Opens the window of the room the poets write in.',
  input: z.object({}),
  async run() {
    await everybodySits.opened;
    say('main opens the window');
    windowIsOpen.open();
    return 'Fresh air comes in.';
  },
});

const supervisor = createSupervisor({
  model: poetry(inspired),
  tools: [openWindow],
  timeouts: { idleTimeoutMs: 20_000 },
});
supervisor.on('agent_started', ({ name }) => say(`${name} begins`));
supervisor.on('task_completed', ({ outcome }) => say(`${outcome.agent.name} ${outcome.status}`));

try {
  const subagents = subagentManager(supervisor.session('salon'));
  subagents.configure({ enabled: true });
  for (const name of names) {
    const systemPrompt = 'You write two lines.';
    await subagents.create({ name, systemPrompt, tools: [], workdir: process.cwd() });
  }
  const main = defineAgent({
    name: 'main',
    prompt: 'You lead a salon of poets.',
    tools: ['open_window'],
    ...subagents.mainAgent(), // with this it hands work to the poets, and waits for them
  });

  const { text } = await supervisor.delegate({ goal: 'Four seasons, please.', agent: main });
  say(`\n${text}`);
} finally {
  await supervisor.close();
}

function gate() {
  let open = () => {};
  const opened = new Promise((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
