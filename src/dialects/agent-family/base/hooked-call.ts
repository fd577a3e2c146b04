// Owns a call between its hooks: the hooks before it may change its arguments, those after it its result (D5).
import { type HookRegistry, inheritedHooks } from './hook-registry.ts';
import type { HookArgs, Hooked, HookOutputs, PostHook, PreHook } from './hook-types.ts';

/** Hooks of the instance first, then those of its classes, the base class's ahead. */
function hooksAround<What extends Hooked, Agent extends object>(
  agent: Agent,
  own: HookRegistry<Agent>,
  what: What,
) {
  const registries = [own, ...inheritedHooks(agent.constructor)];
  return {
    // The name of a point determines the type of its hooks.
    pre: registries.flatMap((each) => each.of(`pre_${what}`)) as unknown as readonly PreHook<
      What,
      Agent
    >[],
    post: registries.flatMap((each) => each.of(`post_${what}`)) as unknown as readonly PostHook<
      What,
      Agent
    >[],
  };
}

export function hasHooks<Agent extends object>(
  agent: Agent,
  own: HookRegistry<Agent>,
  what: Hooked,
): boolean {
  return own.has(what) || inheritedHooks(agent.constructor).some((each) => each.has(what));
}

export async function runPreHooks<What extends Hooked, Agent extends object>(
  agent: Agent,
  own: HookRegistry<Agent>,
  { what, args }: { readonly what: What; readonly args: HookArgs[What] },
): Promise<HookArgs[What]> {
  let current = args;
  for (const hook of hooksAround(agent, own, what).pre) {
    current = (await hook(agent, current)) ?? current;
  }
  return current;
}

export async function runPostHooks<What extends Hooked, Agent extends object>(
  agent: Agent,
  own: HookRegistry<Agent>,
  payload: {
    readonly what: What;
    readonly args: HookArgs[What];
    readonly output: HookOutputs[What];
  },
): Promise<HookOutputs[What]> {
  let current = payload.output;
  for (const hook of hooksAround(agent, own, payload.what).post) {
    current = ((await hook(agent, payload.args, current)) as HookOutputs[What] | null) ?? current;
  }
  return current;
}

/** Runs `call` between the hooks of `what`. What a hook throws is what the call throws (D23). */
export async function betweenHooks<What extends Hooked, Agent extends object>(
  agent: Agent,
  own: HookRegistry<Agent>,
  payload: { readonly what: What; readonly args: HookArgs[What] },
  call: (args: HookArgs[What]) => Promise<HookOutputs[What]>,
): Promise<HookOutputs[What]> {
  const args = await runPreHooks(agent, own, payload);
  return runPostHooks(agent, own, { what: payload.what, args, output: await call(args) });
}
