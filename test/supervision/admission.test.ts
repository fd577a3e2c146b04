// Checks the one decision over a spawn: every limit at its value and one above.
import { describe, expect, it } from 'vitest';
import {
  type AdmissionRequest,
  admit,
  defaultLimits,
  type Limits,
  type Load,
} from '#src/supervision/admission.js';

const root: AdmissionRequest = {
  depth: 0,
  isRoot: true,
  treeTotal: 0,
  width: 1,
  origin: 'program',
  isParentInterrupting: false,
};
const child: AdmissionRequest = { ...root, depth: 1, isRoot: false, treeTotal: 1, origin: 'tool' };
const empty: Load = {
  live: 0,
  ahead: 0,
  queuedRoots: 0,
  isPaused: false,
  isClosed: false,
};

type Case = {
  readonly title: string;
  readonly who: AdmissionRequest;
  readonly load?: Partial<Load>;
  readonly limits?: Partial<Limits>;
  readonly expected: string;
};

const cases: readonly Case[] = [
  { title: 'a root into an empty house', who: root, expected: 'start' },
  {
    title: 'a root into the last slot',
    who: root,
    load: { live: 15 },
    expected: 'start',
  },
  {
    title: 'a root when every slot is taken',
    who: root,
    load: { live: 16 },
    expected: 'queue',
  },
  {
    title: 'a root behind others that wait, although a slot is free',
    who: root,
    load: { ahead: 1 },
    expected: 'queue',
  },
  {
    title: 'a root when every slot is taken and overflow rejects',
    who: root,
    load: { live: 16 },
    limits: { overflow: 'reject' },
    expected: 'max_live_agents',
  },
  {
    title: 'a root into the last slot when overflow rejects',
    who: root,
    load: { live: 15 },
    limits: { overflow: 'reject' },
    expected: 'start',
  },
  {
    title: 'the last root the queue has room for',
    who: root,
    load: { live: 16, queuedRoots: 9 },
    limits: { maxQueued: 10 },
    expected: 'queue',
  },
  {
    title: 'one root more than the queue has room for',
    who: root,
    load: { live: 16, queuedRoots: 10 },
    limits: { maxQueued: 10 },
    expected: 'max_queued',
  },
  {
    title: 'a root that starts at once, with a full queue of none',
    who: root,
    limits: { maxQueued: 0 },
    expected: 'start',
  },
  {
    title: 'a child when the queue of roots is full',
    who: child,
    load: { live: 16, queuedRoots: 10 },
    limits: { maxQueued: 10 },
    expected: 'queue',
  },
  {
    title: 'a child when every slot is taken and overflow rejects',
    who: child,
    load: { live: 16 },
    limits: { overflow: 'reject' },
    expected: 'queue',
  },
  { title: 'a child at the deepest level', who: child, expected: 'start' },
  {
    title: 'a child one level below the deepest',
    who: { ...child, depth: 2 },
    expected: 'max_spawn_depth',
  },
  {
    title: 'a child when no delegation is allowed',
    who: child,
    limits: { maxSpawnDepth: 0 },
    expected: 'max_spawn_depth',
  },
  {
    title: 'children as many as one call may have',
    who: { ...child, width: 3 },
    expected: 'start',
  },
  {
    title: 'children one more than one call may have',
    who: { ...child, width: 4 },
    expected: 'max_concurrent_children',
  },
  {
    title: 'a batch of the program wider than a call of a tool may be',
    who: { ...root, width: 400 },
    expected: 'start',
  },
  {
    title: 'the last agent a tree may have',
    who: { ...child, treeTotal: 4 },
    limits: { maxTotalAgents: 5 },
    expected: 'start',
  },
  {
    title: 'one agent more than a tree may have',
    who: { ...child, treeTotal: 5 },
    limits: { maxTotalAgents: 5 },
    expected: 'max_total_agents',
  },
  {
    title: 'the root of a tree of one',
    who: root,
    limits: { maxTotalAgents: 1 },
    expected: 'start',
  },
  {
    title: 'a child of an agent that is being interrupted (S8)',
    who: { ...child, isParentInterrupting: true },
    expected: 'interrupting',
  },
  {
    title: 'a root while the supervisor is paused',
    who: root,
    load: { isPaused: true },
    expected: 'queue',
  },
  {
    title: 'a root while the supervisor is paused and overflow rejects',
    who: root,
    load: { isPaused: true, live: 16 },
    limits: { overflow: 'reject' },
    expected: 'queue',
  },
  {
    title: 'a root while the supervisor is paused and the queue is full',
    who: root,
    load: { isPaused: true, queuedRoots: 10_000 },
    expected: 'max_queued',
  },
  {
    title: 'a delegation tool while the supervisor is paused',
    who: child,
    load: { isPaused: true },
    expected: 'paused',
  },
  {
    title: 'anything after close',
    who: root,
    load: { isClosed: true },
    expected: 'closed',
  },
];

const limits16 = { ...defaultLimits, maxLiveAgents: 16 };

describe('admit', () => {
  it.each(cases)('decides over $title: $expected (V7)', ({ who, load, limits, expected }) => {
    const decision = admit(who, { ...empty, ...load }, { ...limits16, ...limits });

    expect(decision.type === 'reject' ? decision.limit : decision.type).toBe(expected);
  });

  it('names the limit, its value and what was asked in every refusal (V7)', () => {
    const deep = admit({ ...child, depth: 3 }, empty, { ...limits16, maxSpawnDepth: 2 });
    const wide = admit({ ...child, width: 9 }, empty, limits16);

    expect(deep).toMatchObject({ message: 'max_spawn_depth: depth 3 is below the limit of 2' });
    expect(wide).toMatchObject({
      message: 'max_concurrent_children: 9 tasks in one call, the limit is 3',
    });
  });

  it('refuses a root that a loop of the program asked for as it refuses any other (V7)', () => {
    expect(
      admit(
        { ...child, isRoot: true },
        { ...empty, live: 16 },
        { ...limits16, overflow: 'reject' },
      ),
    ).toMatchObject({ type: 'reject', limit: 'max_live_agents' });
  });
});
