// Owns what a thread with few rights may not do to its process and to others, where Node does not hold it: signals, priorities, the
// report with its environment, flags of V8.
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import v8 from 'node:v8';
import { TroupeError } from '../src/base/failures.ts';
import { replace } from './replace-builtin.ts';

const methods: readonly (readonly [owner: object, names: readonly string[]])[] = [
  [process, ['kill', '_kill', '_debugProcess', '_debugEnd', 'abort']],
  [os, ['setPriority']],
  [v8, ['setFlagsFromString', 'setHeapSnapshotNearHeapLimit', 'writeHeapSnapshot']],
];

/** Once, before any other code of the thread. */
export function guardProcess(): void {
  for (const [owner, names] of methods) {
    for (const name of names) {
      if (!(name in owner)) continue;
      replace(owner, name, () => {
        const text = `${name} is not called: the profile of the agent has few rights`;
        throw new TroupeError('profile_denied', text);
      });
    }
  }
  // It has the environment of the process, with all keys.
  Object.defineProperty(process, 'report', { value: undefined, configurable: false });
  syncBuiltinESMExports();
}
