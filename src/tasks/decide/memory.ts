// Decides where the memory of a persistent agent is: of an idle one without a thread the journal alone has it (P2).
import type { Failure } from '../../base/failures.ts';
import { type LoadedAgent, WrittenAgent } from '../journal/written-agent.ts';
import type { Agent } from '../state.ts';
import type { World } from '../world.ts';
import { endQueue } from './end.ts';

/** It is idle without a thread: what the journal has of its memory leaves the heap. */
export function letGoOfMemory(agent: Agent): void {
  const { written, memory } = agent;
  if (written === null || memory === null || memory.length === 0 || !written.has(memory)) return;
  written.letGo();
  agent.memory = null;
}

/** Asks for its memory where that is not here; the agent is free again once it is. */
export function loadMemory(world: World, agent: Agent): void {
  const { written, memory } = agent;
  if (memory !== null || written === null || written.isLoading) return;
  written.isLoading = true;
  world.push({ type: 'load_memory', agent });
}

export function memoryLoaded(world: World, agent: Agent, loaded: LoadedAgent): void {
  agent.written = WrittenAgent.of(loaded);
  agent.memory = loaded.memory;
  world.free.add(agent);
}

/** No run of it can go on from what it does not remember; the next one tries again. */
export function memoryLost(world: World, agent: Agent, error: Failure): void {
  if (agent.written !== null) agent.written.isLoading = false;
  endQueue(world, agent, { exitReason: 'rejected', error });
}
