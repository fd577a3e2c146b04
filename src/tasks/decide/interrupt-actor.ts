// Decides how a run is interrupted through its actor (S5).
import { TroupeError } from '../../base/failures.ts';
import type { Ending } from '../ending.ts';
import type { Run } from '../state.ts';
import type { World } from '../world.ts';

export function interruptActor(
  world: World,
  run: Run,
  options: Ending['options'],
  ending: Ending | null = null,
): void {
  if (run.agent.lifetime === 'persistent' && run.agent.isParked) {
    // It has no thread that could give its host tools up.
    world.push({ type: 'end_signal', run, why: new TroupeError('interrupted', options.reason) });
  }
  world.push({ type: 'interrupt', run, options, ending });
}
