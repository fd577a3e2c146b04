// Checks what a host lends: the very handles and their names, copied limits, session keys of a subagent's own.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryStateStore } from '#src/dialects/agent-family/base/state-store.js';
import {
  handleOf,
  type Permissions,
  permissionBundle,
  permissionProxy,
} from '#src/dialects/agent-family/subagent/permissions.js';
import { subagentSession } from '#src/dialects/agent-family/subagent/session-prefix.js';

const logger = { warn: () => {} };

function permissions(more: Partial<Permissions> = {}): Permissions {
  return { logger, supervisorName: 'host', ...more };
}

describe('a permission bundle', () => {
  it('holds the very objects of the host (D37, D44)', () => {
    const lent = {
      traceProvider: { startSpan: () => ({ id: 's1', end: () => {} }) },
      filesystem: { root: '/somewhere' },
      session: new MemoryStateStore(),
      longTermMemory: { recall: () => 'all' },
    };

    const bundle = permissionBundle(permissions(lent));

    expect(bundle.logger).toBe(logger);
    expect(bundle.traceProvider).toBe(lent.traceProvider);
    expect(bundle.filesystem).toBe(lent.filesystem);
    expect(bundle.session).toBe(lent.session);
    expect(bundle.longTermMemory).toBe(lent.longTermMemory);
  });

  it('crosses a thread as names of its handles, and they lead back to the very objects (D37)', () => {
    const longTermMemory = { recall: () => 'all' };
    const bundle = permissionBundle(permissions({ longTermMemory }));

    const crossed = structuredClone(permissionProxy(bundle));

    expect(crossed).toEqual({
      tokens: bundle.tokens,
      safetyLimits: {},
      supervisorName: 'host',
    });
    expect(handleOf(bundle, crossed.tokens.longTermMemory ?? '')).toBe(longTermMemory);
    expect(() => handleOf(bundle, 'logger-0')).toThrow('no handle of this bundle');
  });

  it('names one object the same in every bundle, and two objects never (D37)', () => {
    const first = permissionBundle(permissions({ longTermMemory: { a: 1 } }));
    const second = permissionBundle(permissions({ longTermMemory: { a: 1 } }));

    expect(first.tokens.logger).toBe(second.tokens.logger);
    expect(first.tokens.longTermMemory).not.toBe(second.tokens.longTermMemory);
    expect(first.tokens).not.toHaveProperty('filesystem');
  });

  it('copies the limits: a host that changes its own changes no bundle (D49)', () => {
    const disabledTools = ['shell'];
    const safetyLimits = { disabledTools, maxTurns: 3 };
    const bundle = permissionBundle(permissions({ safetyLimits }));

    disabledTools.push('fetch');
    safetyLimits.maxTurns = 99;

    expect(bundle.safetyLimits).toEqual({ disabledTools: ['shell'], maxTurns: 3 });
  });

  it.each([
    [{ logger: {} }, 'permissions: logger is {}'],
    [{ supervisorName: '' }, 'permissions: supervisorName is ""'],
    [{ safetyLimits: { maxTurns: 0 } }, 'permissions: safetyLimits.maxTurns is 0'],
    [{ filesystem: { root: 'here' } }, 'filesystem.root is "here": expected an absolute path'],
    [{ toolkit: [] }, 'permissions: there is no option "toolkit"'],
  ])('refuses %j (D37)', (wrong, message) => {
    expect(() => permissionBundle({ ...permissions(), ...wrong } as never)).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message: expect.stringContaining(message),
      }),
    );
  });
});

describe('the session of a subagent', () => {
  it('never meets a key of the host or of another subagent (D47)', async () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/);
    const key = fc.string();
    await fc.assert(
      fc.asyncProperty(name, name, key, key, async (mine, other, at, elsewhere) => {
        fc.pre(mine !== other && !at.startsWith('subagents/'));
        const storage = new MemoryStateStore();
        await storage.save(at, { of: 'host' });
        await subagentSession(storage, other).save(elsewhere, { of: 'another' });

        const before = await subagentSession(storage, mine).load(at);
        await subagentSession(storage, mine).save(at, { of: 'mine' });

        expect(before).toBeNull();
        expect(await storage.load(at)).toEqual({ of: 'host' });
        expect(await subagentSession(storage, other).load(elsewhere)).toEqual({ of: 'another' });
        expect(await subagentSession(storage, mine).load(at)).toEqual({ of: 'mine' });
        expect(storage.keys()).toHaveLength(3);
      }),
    );
  });

  it('keeps state below a prefix made of the name (D47)', async () => {
    const storage = new MemoryStateStore();

    await subagentSession(storage, 'search').save('seen', { times: 3 });

    expect(storage.keys()).toEqual(['subagents/search/seen']);
  });
});
