// Checks that no post of a thread, on whichever port it finds, throws in the host or holds it: its sender ends, and no one else.
import { expect, it } from 'vitest';
import { exitOf, fixture, testSystem, within } from '../support/systems.ts';

it.each([
  'nothing',
  'no value',
  'a number',
  'the answer of its job',
  'the failure of its job',
  'that it is ready',
  'a sparse list',
  'a sparse batch',
  'sparse dirt',
  'a sparse message',
  'a batch of too many',
  'a value that is nested too deep',
  'a value that is shared too often',
  'a call with a sparse list',
  'a failure that is none',
  'a stop of nobody',
])('a thread that posts %s on every port it has ends alone (V1)', async (what) => {
  const { system } = testSystem();
  const sibling = await system.spawn(fixture('echo'));
  const hostile = await system.spawn(fixture('hostile'));
  const exit = exitOf(hostile);

  hostile.tell({ what, isOver: true });

  const { reason, failure } = await within(exit, 'the end of the sender');
  expect(reason).toBe('crashed');
  expect(['protocol_violation', 'unknown_service']).toContain(failure?.code);
  expect(await sibling.ask(1, { timeoutMs: 20_000 })).toMatchObject({ echo: 1 });
  // A thread that is lent out twice would be two actors at once.
  const next = await system.spawn(fixture('echo'));
  expect(await next.ask(2, { timeoutMs: 20_000 })).toMatchObject({ echo: 2 });
});
