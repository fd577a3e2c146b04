// A stand-in for a model: it reviews by a few rules and sums up by counting, so that the example runs offline.
const rules = [
  [/\b(?:eval|new Function)\s*\(/, 'high', 'runs text as code'],
  [/catch\s*(?:\([^)]*\)\s*)?\{\s*\}/, 'high', 'swallows an error'],
  [/\b(?:TODO|FIXME|XXX)\b/, 'medium', 'is not finished'],
  [/: any[;,)=[\]]|\bas any\b/, 'medium', 'gives up its type'],
  [/\bconsole\.\w+\(/, 'low', 'prints to the console'],
];
const maxLine = 160;
const maxLines = 300;

export const offlineModel = {
  id: 'offline-review',
  async respond({ agent, messages, turn }) {
    if (agent.name === 'editor') return answer(summary(textIn(messages[0])), turn);
    const [, file] = /^Review (.+)$/m.exec(textIn(messages[0]));
    if (turn === 1) return answer({ name: 'read', input: { path: file } }, turn);
    const { content, is_error: isError } = messages.at(-1).content[0];
    if (isError === true) return answer(content, turn); // without findings the run fails, and says why
    return answer({ name: 'generate_response', input: { findings: findingsIn(content) } }, turn);
  },
};

const textIn = ({ content }) => content.map(({ text = '' }) => text).join('\n');

function findingsIn(text) {
  const lines = text.split('\n');
  const found = lines.flatMap((line, at) => [
    ...rules
      .filter(([pattern]) => pattern.test(line))
      .map(([, severity, what]) => ({ line: at + 1, severity, what })),
    ...(line.length > maxLine
      ? [{ line: at + 1, severity: 'low', what: `has ${line.length} characters` }]
      : []),
  ]);
  return lines.length > maxLines + 1
    ? [...found, { line: maxLines, severity: 'medium', what: 'and it still goes on' }]
    : found;
}

function summary(text) {
  const count = (level) => text.match(new RegExp(`^${level}: `, 'gm'))?.length ?? 0;
  const [high, medium, low] = ['high', 'medium', 'low'].map(count);
  const first = /^high: .*$/m.exec(text)?.[0].replace('high: ', ' Begin with ') ?? '';
  return `${high} high, ${medium} medium, ${low} low.${first}`;
}

function answer(what, turn) {
  const isText = typeof what === 'string';
  return {
    content: [
      isText ? { type: 'text', text: what } : { type: 'tool_use', id: `call_${turn}`, ...what },
    ],
    stopReason: isText ? 'end_turn' : 'tool_use',
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    isEstimated: true,
    model: 'offline-review',
  };
}
