// Makes docs/tools.md from the built-in tools: node .ci/tools-page.mjs, after a build.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the tools of a toolset run. */
const places = {
  file: 'In the agent’s thread, confined to its workspace.',
  terminal: 'On the host, one shell per agent, which ends with it.',
  todo: 'In the agent’s thread. The list is in the conversation, also after that was shortened; it belongs to one agent.',
  web: 'On the host. `web_search` is there when the program gives a provider: `web: { search }`.',
};

/** The page, a section per toolset and a table per tool; `equivalents` has other names of tools in agent files. */
export function toolsPage(toolsets, equivalents) {
  const names = new Map();
  for (const [name, tool] of equivalents) names.set(tool, [...(names.get(tool) ?? []), name]);
  const sections = toolsets.map(({ name, description, tools }) =>
    [
      `## \`${name}\``,
      `${description} ${places[name]}`,
      ...tools.map((tool) => toolPart(tool, names)),
    ].join('\n\n'),
  );
  return `# Tools

The toolsets that come with Troupe, as models see them. An agent has none unless it names it: \`toolsets: ['file']\`. Single tools are
taken away by name or tag: \`disallowedTools: ['terminal', 'tag:write']\`. This page is made by \`.ci/tools-page.mjs\` from the code.

${sections.join('\n\n')}
`;
}

function toolPart({ name, description, input, tags }, names) {
  const { properties, required } = input['~standard'].jsonSchema.input();
  const also = (names.get(name) ?? []).map((each) => `\`${each}\``);
  const rows = rowsOf(properties, required);
  const about = [
    `tags ${tags
      .filter((tag) => !tag.includes(':'))
      .map((tag) => `\`${tag}\``)
      .join(', ')}`,
    ...(also.length === 0 ? [] : [`in agent files also ${also.join(', ')}`]),
  ];
  const [first, ...more] = description.split('\n');
  const text = more.length === 0 ? escaped(first) : `\`\`\`text\n${description}\n\`\`\``;
  return [`### \`${name}\``, text, `${about.join('; ')}.`.replace(/^t/, 'T'), table(rows)].join(
    '\n\n',
  );
}

function rowsOf(properties, required, prefix = '') {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    const row = [
      `\`${path}\``,
      typeOf(schema),
      required.includes(name) ? 'yes' : '',
      escaped(schema.description),
    ];
    if (schema.type !== 'array') return [row];
    return [row, ...rowsOf(schema.items.properties, schema.items.required, `${path}[].`)];
  });
}

function typeOf({ type, minimum, maximum, minItems, maxItems }) {
  if (type === 'integer') return `${minimum} to ${maximum}`;
  if (type === 'array') return `list of ${minItems} to ${maxItems}`;
  return type === 'string' ? 'text' : type;
}

/** Text that Markdown would take for something else. */
function escaped(text) {
  return text.replace(/[*|]/g, '\\$&');
}

function table(rows) {
  const all = [['field', 'type', 'required', 'what'], ...rows];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const [head, ...body] = all.map(line);
  return [head, rule, ...body].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const load = (path) => import(new URL(`../dist/src/${path}`, import.meta.url).href);
  const { fileToolset } = await load('tools/builtin/file.js');
  const { todoToolset } = await load('tools/builtin/todo.js');
  const { terminalToolset } = await load('tools/builtin/terminal.js');
  const { webToolset } = await load('tools/builtin/web.js');
  const { systemClock: clock } = await load('base/clock.js');
  const { equivalents } = await load('sessions/files/agent-file-tools.js');
  const terminal = terminalToolset({ clock, env: {}, graceMs: 0, warn: () => {} });
  const web = webToolset(clock, { search: () => [] });
  const page = toolsPage([fileToolset, todoToolset, terminal, web], equivalents);
  writeFileSync(new URL('../docs/tools.md', import.meta.url), page);
}
