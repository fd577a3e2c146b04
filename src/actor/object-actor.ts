// Owns a class as an actor: a call of one of its methods is a message, its return value the reply.
import { describe, TroupeError } from '../base/failures.ts';
import { type Behavior, behavior, next } from './behavior.ts';

/** The message a typed facade sends. */
export type MethodCall = { readonly method: string; readonly args: readonly unknown[] };

type Instance = Readonly<Record<string, unknown>>;
/** In an object, because a class may have a method `then`, and its instance is not to be awaited. */
type ObjectState = { readonly instance: Instance };

function isMethodCall(message: unknown): message is MethodCall {
  return (
    typeof message === 'object' &&
    message !== null &&
    'method' in message &&
    typeof message.method === 'string' &&
    'args' in message &&
    Array.isArray(message.args)
  );
}

/** Methods of the class itself: nothing inherited from `Object`, no constructor, no private name. */
function methodOf(instance: Instance, name: string): (...args: unknown[]) => unknown {
  for (
    let level: unknown = Object.getPrototypeOf(instance);
    typeof level === 'object' && level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level)
  ) {
    const found = Object.getOwnPropertyDescriptor(level, name)?.value;
    if (name !== 'constructor' && typeof found === 'function') return found;
  }
  throw new TroupeError('unknown_method', `the actor has no method ${JSON.stringify(name)}`);
}

/** The behaviour of a class: `args` are its constructor's, one call at a time, a throwing method fails its ask only. */
export function objectBehavior(
  constructor_: new (...args: never[]) => object,
): Behavior<ObjectState, unknown, readonly unknown[]> {
  return behavior<ObjectState, unknown, readonly unknown[]>({
    start(args) {
      // The class takes what its spawner typed; an instance is read by name only.
      return { instance: Reflect.construct(constructor_, args ?? []) as Instance };
    },
    async receive(state, message, self) {
      const { instance } = state;
      if (!isMethodCall(message)) {
        throw new TroupeError(
          'not_serializable',
          `expected a method call, got ${describe(message)}`,
        );
      }
      try {
        self.reply(await methodOf(instance, message.method).apply(instance, [...message.args]));
      } catch (error) {
        // A method that throws has refused, not crashed: its caller receives the failure, the actor goes on.
        self.refuse(error);
      }
      return next(state);
    },
  });
}
