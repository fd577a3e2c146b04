// Checks what the gateway takes from the bind of an activation and never from its thread.
import { expect, it } from 'vitest';
import { scripted } from '#src/testing.js';
import { arrange, asks, binding, untilIdle } from '../gateway-support.ts';

it('the gateway takes prompt, tools and the longest answer from the bind alone (W9)', async () => {
  const { gateway, send } = arrange();
  const model = scripted({ default: [{ text: 'a', repeat: true }] });
  const tools = [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }];
  gateway.bind(binding(model, { head: { system: 'Bound.', tools }, maxOutputTokens: 9 }));
  const forgeries = [
    { head: { system: 'Forged.', tools: [] } },
    { system: 'Forged.' },
    { tools: [] },
    { settings: { temperature: 2 } },
    { maxOutputTokens: 1_000_000 },
  ];

  for (const forged of forgeries) expect(send({ ...asks(), ...forged })).toBe(false);
  send(asks());
  // What is bound again is its tree, budget and model: the prefix of a conversation stays (A38).
  gateway.bind(binding(model, { head: { system: 'Later.', tools: [] }, maxOutputTokens: 9 }));
  send(asks({ callId: 2, from: 1, messages: [] }));
  await untilIdle();

  const asked = model.requests();
  expect(asked).toHaveLength(2);
  for (const request of asked) {
    expect(request).toMatchObject({ system: 'Bound.', tools, maxOutputTokens: 9 });
    expect(request).not.toHaveProperty('settings');
  }
});
