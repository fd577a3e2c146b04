// Checks agents written for the Claude Agent SDK.
import { describe, expect, it } from 'vitest';
import { claudeAgents } from '#src/dialects/claude-code/index.js';
// @ts-expect-error a script is plain JavaScript
import { agentFields } from '../../../.ci/source-names-page.mjs';
import { supervise, within } from '../../supervisor/support.ts';

describe('agents of the Claude Agent SDK', () => {
  it('are definitions, every field of the page with its effect', () => {
    const written = {
      description: 'Reviews code.',
      prompt: 'You review.',
      tools: ['Read', 'Grep'],
      disallowedTools: ['Bash'],
      model: 'sonnet',
      skills: ['style'],
      maxTurns: 7,
      timeout_mins: 2,
      temperature: 0.5,
      effort: 'high',
    };
    const models = { sonnet: 'anthropic:claude-sonnet-5' } as const;

    const { agents, warnings, metadata } = claudeAgents({ reviewer: written }, { models });

    expect([warnings, metadata.size]).toEqual([[], 0]);
    expect(agents).toEqual([
      {
        name: 'reviewer',
        description: 'Reviews code.',
        prompt: 'You review.',
        tools: [],
        toolsets: ['file'],
        disallowedTools: expect.arrayContaining(['edit', 'write', 'terminal']),
        model: 'anthropic:claude-sonnet-5',
        skills: ['style'],
        maxTurns: 7,
        totalTimeoutMs: 120_000,
        temperature: 0.5,
        effort: 'high',
      },
    ]);
    const { max_turns, mcpServers: _servers, ...fields } = agentFields;
    expect(Object.keys(fields)).toEqual(Object.keys(written));
    expect(max_turns).toBe('maxTurns');
  });

  it('run as they are, with what has no effect reported', async () => {
    const { agents, warnings, metadata, mcpServers } = claudeAgents({
      scout: {
        description: 'Looks.',
        prompt: 'You look.',
        model: 'inherit',
        color: 'red',
        mcpServers: { a: { command: 'a' } },
      },
    });
    const { supervisor, model } = supervise({ default: [{ text: 'seen' }] }, { agents });

    const outcome = await within(supervisor.delegate({ goal: 'a', agent: 'scout' }), 'the outcome');

    expect(outcome.text).toBe('seen');
    expect(model.requests()[0]?.system).toContain('You look.');
    expect(warnings).toEqual([expect.stringMatching(/^scout: color has no effect/)]);
    expect(metadata.get('scout')).toEqual({ color: 'red' });
    expect(mcpServers.get('scout')).toEqual({ mcpServers: { a: { command: 'a' } } });
  });

  it('are refused without a description', () => {
    const read = () => claudeAgents({ scout: { prompt: 'You look.' } });

    expect(read).toThrow(expect.objectContaining({ code: 'invalid_options' }));
    expect(read).toThrow(/scout\.description/);
  });
});
