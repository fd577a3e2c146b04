// Checks that no post of a thread, on whichever port it finds, throws in the host or holds it: its sender ends, and no one else.
import { expect, it } from 'vitest';
import { exitOf, fixture, testSystem, within } from '../support/systems.ts';

const posts = [
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
];

it('a thread that posts what no thread may, on every port it has, ends alone (V1)', async () => {
  const { system } = testSystem();
  const sibling = await system.spawn(fixture('echo'));
  for (const [at, what] of posts.entries()) {
    const hostile = await system.spawn(fixture('hostile'));
    const exit = exitOf(hostile);

    hostile.tell({ what, isOver: true });

    const { reason, failure } = await within(exit, `the end of the sender of ${what}`);
    expect(reason, what).toBe('crashed');
    expect(['protocol_violation', 'unknown_service'], what).toContain(failure?.code);
    expect(await sibling.ask(at, { timeoutMs: 20_000 }), what).toMatchObject({ echo: at });
    // A thread that is lent out twice would be two actors at once: no warm one may serve instead.
    const next = await system.spawn(fixture('echo'));
    expect(await next.ask(2, { timeoutMs: 20_000 }), what).toMatchObject({ echo: 2 });
    await within(next.kill(), 'the end of the next');
  }
});
