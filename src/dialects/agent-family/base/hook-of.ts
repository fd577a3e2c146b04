// Owns the type of a hook, as a program registers one with an agent.
import type { AgentBase } from './agent-base.ts';
import type { AgentHook, HookPoint } from './hook-types.ts';

/** The function of a hook point. */
export type HookOf<Point extends HookPoint> = AgentHook<Point, AgentBase>;
