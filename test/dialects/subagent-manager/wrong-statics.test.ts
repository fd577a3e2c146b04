// Checks that an agent of the operator that is wrong is told of at once, each fault by itself, and takes no other down.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '#src/index.js';
import { turns } from '../../supervisor/support.ts';
import { on, rig } from './rig.ts';

type Rig = ReturnType<typeof rig>;

const warningsBy = ({ watch }: Rig): readonly string[] =>
  watch.of('log').map(({ message }) => message.replace(/ is not taken as it is configured/, ''));

const agents = [
  { name: 'sound', public_description: 'Is all right.' },
  { name: 'a b' },
  { name: ' ' },
  { name: 'sound' },
  { name: 'misspelt', persona: 'known' },
  { name: 'numbered', persona_id: 7 },
  { name: 'faceless', persona_id: 'nobody', provider_id: 'nothing' },
  { name: 'broken', persona_id: 'throws' },
  { name: 'skilled', persona_id: 'skilled' },
  'a text',
];
const personas: Readonly<Record<string, object>> = { skilled: { skills: ['juggling'] } };
const personaOf = (id: string) => {
  if (id === 'throws') throw new Error('the file is gone');
  return personas[id];
};
const providerOf = (id: string) => (id === 'nothing' ? undefined : 'offline');

it('tells each fault of an agent of the operator once, and offers those that are sound (A4, A17)', () => {
  const made = rig({}, { config: { ...on, agents }, options: { personaOf, providerOf } });
  made.manager.registerConfigured();

  expect(warningsBy(made)).toEqual([
    expect.stringMatching(/^subagent "a b": agents.1: name is "a b": expected letters/),
    expect.stringMatching(/^subagent "number 3": agents.2: name is " "/),
    'subagent "sound": another agent has this name',
    expect.stringMatching(/^subagent "misspelt": .*"persona"; did you mean "personaId"\?/),
    expect.stringMatching(/^subagent "numbered": .*personaId is 7: expected a text/),
    expect.stringMatching(/^subagent "number 10": .*"a text": expected an object/),
    'subagent "faceless": there is no persona "nobody"',
    'subagent "faceless": there is no provider "nothing"',
    'subagent "broken": persona "throws": the file is gone',
    expect.stringMatching(/^subagent "skilled": there is no skill "juggling"/),
  ]);
  expect(made.manager.agents().map(({ name }) => name)).toEqual(['sound']);
  expect(made.offered()).toContain('transfer_to_sound');
});

it('tells of a provider id that no model is chosen by (A40)', () => {
  const wrong = [{ name: 'one', provider_id: 'antropic:claude-sonnet-5' }, { name: 'two' }];
  const made = rig({}, { config: { ...on, agents: wrong } });

  expect(warningsBy(made)).toEqual([
    expect.stringMatching(/^subagent "one": no such model.*did you mean "anthropic:/),
  ]);
  expect(made.manager.agents().map(({ name }) => name)).toEqual(['two']);
});

it('tells of each tool of a persona that is not there, and keeps its agent (A31)', async () => {
  const given = () => ({ tools: ['serch', 'juggle', 'search'] });
  const wrong = [{ name: 'one', persona_id: 'p' }];
  const search = defineTool({
    name: 'search',
    description: 'Searches.',
    input: z.object({}),
    run: () => 'found',
  });
  const made = rig(
    {},
    {
      config: { ...on, agents: wrong },
      options: { personaOf: given },
      supervisor: { tools: [search] },
    },
  );

  await turns();

  expect(warningsBy(made)).toEqual([
    expect.stringMatching(/^subagent "one" cannot run: .*"serch"/),
    expect.stringMatching(/^subagent "one" cannot run: .*"juggle"/),
  ]);
  expect(made.manager.agents().map(({ name }) => name)).toEqual(['one']);
});

it('tells every fault of the shape of an agent, each by itself (A4, A17)', () => {
  const wrong = [
    { name: 'a b', persona_id: 7, enabeld: true, descripton: 'x', provider_id: ['m'] },
    { name: 'faced', persona_id: 'p' },
    { name: 'later', enabled: 7 },
    { name: 'later' },
    { name: 'sound' },
    { name: 'sound', enabled: 'yes' },
  ];
  const faced = () => ({ tools: 'search', skills: [7], sytemPrompt: 'x' });
  const made = rig(
    {},
    { config: { ...on, agents: wrong }, options: { personaOf: faced as never } },
  );

  expect(warningsBy(made)).toEqual([
    expect.stringMatching(/^subagent "a b": .*"enabeld"; did you mean "enabled"\?/),
    expect.stringMatching(/^subagent "a b": .*"descripton"; did you mean "description"\?/),
    expect.stringMatching(/^subagent "a b": agents.0: name is "a b"/),
    expect.stringMatching(/^subagent "a b": agents.0: personaId is 7/),
    expect.stringMatching(/^subagent "a b": agents.0: providerId is /),
    expect.stringMatching(/^subagent "later": agents.2: enabled is 7/),
    expect.stringMatching(/^subagent "sound": agents.5: enabled is "yes"/),
    'subagent "sound": another agent has this name',
    expect.stringMatching(/^subagent "faced": .*"sytemPrompt"; did you mean "systemPrompt"\?/),
    expect.stringMatching(/^subagent "faced": subagent: tools is "search"/),
    expect.stringMatching(/^subagent "faced": subagent: skills.0 is 7/),
  ]);
  expect(made.manager.agents().map(({ name }) => name)).toEqual(['later', 'sound']);
});
