// The model of this example: a script for the main agent, and poems for poets. It needs no network and no key.

const poems = {
  spring: 'Green on the bough,\nand nobody asked it how.',
  summer: 'The gold lies still,\nthe bees have climbed the hill.',
  autumn: 'Red is the leaf,\nits holiday was brief.',
  winter: 'The gold is snow,\nI wrote it long ago.',
};

const handOver = (name, season, isBackground) => [
  'transfer_to_subagent',
  { name, input: `Write about ${season}.`, background_task: isBackground },
];
const waitFor = (name) => ['wait_for_subagent', { subagent_name: name }];

/** The main agent's turns: what it calls in each. After the last it answers with all that it was told. */
const plan = [
  [
    handOver('ada', 'spring', true),
    handOver('ben', 'summer', true),
    handOver('cleo', 'autumn', true),
  ],
  [['open_window', {}]],
  [waitFor('ben')],
  [handOver('ben', 'winter', false)],
  [waitFor('ada'), waitFor('cleo')],
];

/** `inspired` is called for each poem, and awaited before it is written. */
export function poetry(inspired) {
  return {
    id: 'poetry',
    async respond({ agent, turn, messages }) {
      if (agent.name === 'main') {
        const calls = plan[turn - 1];
        return calls === undefined ? answer(anthology(messages)) : answer('', calls, turn);
      }
      await inspired();
      const season = /about (\w+)/.exec(textsOf(messages).at(-1))[1];
      return answer(poems[season]);
    },
  };
}

const textsOf = (messages) =>
  messages.flatMap(({ content }) => content.flatMap(({ text }) => text ?? []));

/** The poems among the results of its calls: two lines at the end of each. */
function anthology(messages) {
  const results = messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_result' ? block.content : [])),
  );
  const isPoem = (text) => Object.values(poems).includes(text);
  const lastLines = results.map((text) => text.split('\n').slice(-2).join('\n'));
  return lastLines.filter(isPoem).join('\n\n');
}

function answer(text, calls = [], turn = 1) {
  return {
    content: [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map(([name, input], at) => ({
        type: 'tool_use',
        id: `call_${turn}_${at}`,
        name,
        input,
      })),
    ],
    stopReason: calls.length === 0 ? 'end_turn' : 'tool_use',
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    isEstimated: true,
    model: 'poetry',
  };
}
