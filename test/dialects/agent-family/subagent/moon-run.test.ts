// Checks the worked example of the family through real threads: three scripted models, a host with an empty toolkit.
import { describe, expect, it } from 'vitest';
import { msgText } from '#src/dialects/agent-family/base/msg.js';
import { ManualClock, type ScriptStep, scripted } from '#src/testing.js';
import { arrange, resultsIn, scout, spec } from '../subagent-support.ts';

const asks = (name: string, query: string) => ({ toolCalls: [{ name, input: { query } }] });
const looks = { toolCalls: [{ name: 'look', input: { what: 'the web' } }] };
const withLook = { toolsAllowlist: ['look'] };

/** A host and its two subagents, each with a model of its own. */
async function moonRun(script: {
  readonly host: readonly ScriptStep[];
  readonly search: readonly ScriptStep[];
  readonly fetch: readonly ScriptStep[];
}) {
  const clock = new ManualClock();
  const search = scripted({ default: script.search });
  const fetch = scripted({ default: script.fetch });
  const arranged = arrange(
    { agents: { host: script.host } },
    {
      supervisor: { clock },
      permissions: { safetyLimits: { totalTimeoutMs: 60_000 } },
    },
  );
  const { registry } = arranged;
  await registry.register(scout({ model: search }), spec('search', withLook));
  await registry.register(scout({ model: fetch }), spec('fetch', withLook));
  return { ...arranged, clock, search, fetch };
}

describe('the moon run', () => {
  it('answers with 17000 hours from what its two subagents found (D60)', async () => {
    const { ask, model, search, fetch, requestsOf, responses, watch } = await moonRun({
      host: [
        asks('invoke_search', 'Kipchoge’s record?'),
        asks('invoke_fetch', 'The Moon’s perigee?'),
        { text: 'About 17377 h, so 17000 hours.' },
      ],
      search: [looks, { text: '42.195 km in 2:01:09' }],
      fetch: [looks, { text: '363300 km' }],
    });

    const reply = await ask('How long would Kipchoge run to the Moon?');

    expect(msgText(reply)).toBe('About 17377 h, so 17000 hours.');
    expect(requestsOf('host').slice(1).map(resultsIn)).toEqual([
      ['42.195 km in 2:01:09'],
      ['363300 km'],
    ]);
    expect(requestsOf('host')[0]?.tools.map(({ name }) => name)).toEqual([
      'invoke_search',
      'invoke_fetch',
    ]);
    for (const each of [search, fetch]) {
      expect(each.requests()[0]?.tools.map(({ name }) => name)).toEqual(['look']);
      each.assertConsumed();
    }
    model.assertConsumed();
    expect(responses.map(({ metadata }) => metadata)).toEqual([
      { subagent: 'search', supervisor: 'host' },
      { subagent: 'fetch', supervisor: 'host' },
    ]);
    expect(watch.of('agent_started').map(({ depth }) => depth)).toEqual([0, 1, 1]);
  });

  it('hears of the timeout of one, and explains (D54, D60)', async () => {
    const { ask, requestsOf, responses, watch, clock } = await moonRun({
      host: [
        asks('invoke_search', 'Kipchoge’s record?'),
        asks('invoke_fetch', 'The Moon’s perigee?'),
        { text: 'I do not know how far it is.' },
      ],
      search: [{ text: '42.195 km in 2:01:09' }],
      fetch: [{ hang: true }],
    });

    const asking = ask();
    await watch.next('turn_started', ({ path = '' }) => isSecondChild(path));
    await clock.advance(60_000);
    const reply = await asking;

    expect(responses.map(({ metadata }) => metadata.error)).toEqual([undefined, 'timeout']);
    expect(responses[1]).toMatchObject({ isLast: true, metadata: { unavailable: true } });
    expect(resultsIn(requestsOf('host')[2])).toEqual([
      expect.stringContaining('Subagent fetch is unavailable (error: timeout).'),
    ]);
    expect(msgText(reply)).toBe('I do not know how far it is.');

    function isSecondChild(path: string): boolean {
      const children = watch.of('agent_started').filter(({ depth }) => depth === 1);
      return children[1]?.path === path;
    }
  });
});
