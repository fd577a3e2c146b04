// A stand-in for a model: rules that play the main agent, the archivist and the writer, so that the service runs offline.

export const offlineModel = {
  id: 'offline-chat',
  async respond({ agent, messages, turn }) {
    const received = messages.at(-1).content;
    const part = parts[agent.name];
    const result = turn === 1 ? null : received.find(({ type }) => type === 'tool_result').content;
    return answer(part({ texts: textsOf(received), result, messages }), turn);
  },
};

const parts = {
  main({ texts, result }) {
    if (result !== null) return result;
    const isQuestion = texts[0].trim().endsWith('?');
    return call('transfer_to_subagent', {
      name: isQuestion ? 'writer' : 'archivist',
      input: texts[0],
    });
  },

  /** Counts what it was told before: a subagent remembers its earlier tasks. */
  archivist({ texts, result, messages }) {
    if (result === null) {
      return call('send_shared_context', { context_type: 'status', content: texts[0] });
    }
    const posts = messages.flatMap(({ content }) =>
      content.filter(({ type }) => type === 'tool_use'),
    );
    return `Noted, ${posts.length} so far.`;
  },

  /** Knows what the archivist posted: the board is told to it with each request. */
  writer({ texts }) {
    const board = texts.slice(1).join('\n');
    const facts = [...board.matchAll(/^- \[.*\] archivist -> all: (.*)$/gm)].map(
      ([, fact]) => fact,
    );
    return facts.length === 0 ? 'I know nothing yet.' : `I know this: ${facts.join(' ')}`;
  },
};

const call = (name, input) => ({ name, input });

const textsOf = (content) => content.flatMap((block) => (block.type === 'text' ? block.text : []));

function answer(what, turn) {
  const isText = typeof what === 'string';
  const block = isText
    ? { type: 'text', text: what }
    : { type: 'tool_use', id: `call_${turn}`, ...what };
  return {
    content: [block],
    stopReason: isText ? 'end_turn' : 'tool_use',
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    isEstimated: true,
    model: 'offline-chat',
  };
}
