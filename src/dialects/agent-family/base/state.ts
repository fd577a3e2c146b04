// Owns state that can be saved and loaded: registered fields and nothing else (D11). Stores nothing itself.
import { toSerializable } from '../../../actor/serializable.ts';
import { describe, TroupeError } from '../../../base/failures.ts';

/** State as it is stored: JSON values by field. */
export type StateDict = { readonly [field: string]: unknown };

/** What can be saved and loaded. */
export interface Stateful {
  /** What is to be saved, as plain JSON. */
  stateDict(): StateDict;
  /** Replaces the fields that `state` has; the others stay as they are. */
  loadStateDict(state: StateDict): void;
}

type Conversion = {
  /** What is stored of the field. Default: its value, which has to be plain data. */
  readonly save: (value: never) => unknown;
  readonly load: (stored: never) => unknown;
};

/** True for what has state of its own: such a field is saved and loaded through it. */
function isStateful(value: unknown): value is Stateful {
  return (
    typeof value === 'object' &&
    value !== null &&
    'stateDict' in value &&
    typeof value.stateDict === 'function' &&
    'loadStateDict' in value &&
    typeof value.loadStateDict === 'function'
  );
}

/** A class whose registered fields make its state; what is not registered is not part of it. */
export abstract class StateModule implements Stateful {
  readonly #fields = new Map<string, Conversion | null>();

  /**
   * Makes a public field part of the state. A field that has state of its own is saved through it; any other is plain data,
   * or converted. Throws `invalid_options` for a field that is not there.
   */
  registerState(field: string, conversion?: Conversion): void {
    if (!(field in this)) {
      throw new TroupeError('invalid_options', `registerState: there is no field ${field}`);
    }
    this.#fields.set(field, conversion ?? null);
  }

  /** The registered fields as plain data. Throws `not_serializable` naming what is not. */
  stateDict(): StateDict {
    const entries = [...this.#fields].map(([field, conversion]) => {
      const value: unknown = Reflect.get(this, field);
      if (conversion !== null)
        return [field, toSerializable(conversion.save(value as never)).value];
      return [field, isStateful(value) ? value.stateDict() : toSerializable(value).value];
    });
    // A copy: what is saved does not change with the agent.
    return structuredClone(Object.fromEntries(entries));
  }

  /**
   * Sets the registered fields that the state has; any other is left as it is. Throws `invalid_options` for a field that
   * cannot be set.
   */
  loadStateDict(state: StateDict): void {
    if (typeof state !== 'object' || state === null || Array.isArray(state)) {
      throw new TroupeError('invalid_options', `a state is an object, got ${describe(state)}`);
    }
    for (const [field, conversion] of this.#fields) {
      if (!Object.hasOwn(state, field)) continue;
      const stored = structuredClone(state[field]);
      const value: unknown = Reflect.get(this, field);
      if (conversion !== null) this.#set(field, conversion.load(stored as never));
      // Whatever is stored is judged by the field's own `loadStateDict`.
      else if (isStateful(value)) value.loadStateDict(stored as StateDict);
      else this.#set(field, stored);
    }
  }

  #set(field: string, value: unknown): void {
    if (Reflect.set(this, field, value)) return;
    throw new TroupeError(
      'invalid_options',
      `loadStateDict: field ${field} cannot be set to ${describe(value)}`,
    );
  }
}
