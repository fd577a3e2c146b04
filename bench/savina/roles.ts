// Owns what the actors of the Savina workloads do, without saying who carries their messages: ours and raw workers run
// the same code. Knows no thread.

/** A role and its parameters; plain data, so that it can be handed to a thread. */
export type RoleSpec =
  | { readonly role: 'ring_member'; readonly size: number; readonly hops: number }
  | { readonly role: 'counter' }
  | { readonly role: 'pinger'; readonly actors: number; readonly pings: number }
  | { readonly role: 'mall'; readonly creatures: number; readonly meetings: number }
  | { readonly role: 'creature'; readonly colour: Colour };

export const colours = ['blue', 'red', 'yellow'] as const;
export type Colour = (typeof colours)[number];

export type RoleMessage =
  /** From the host: do the work once and finish with its result. */
  | { readonly type: 'run' }
  | { readonly type: 'token'; readonly hops: number }
  | { readonly type: 'work'; readonly value: number }
  | { readonly type: 'ping'; readonly from: number }
  | { readonly type: 'pong' }
  | { readonly type: 'begin' }
  | { readonly type: 'meet'; readonly from: number; readonly colour: Colour }
  | { readonly type: 'change'; readonly colour: Colour }
  | { readonly type: 'close' }
  | { readonly type: 'met'; readonly meetings: number };

/** Where an actor stands: its number among its crew, and how it reaches others and the host. */
export type Place = {
  readonly index: number;
  send(to: number, message: RoleMessage): void;
  /** Answers the `run` that the host asked. */
  finish(result: number): void;
};

/** An actor: what it does with a message. */
export type Role = (message: RoleMessage) => void;

export function createRole(spec: RoleSpec, place: Place): Role {
  switch (spec.role) {
    case 'ring_member':
      return ringMember(spec, place);
    case 'counter':
      return counter(place);
    case 'pinger':
      return pinger(spec, place);
    case 'mall':
      return mall(spec, place);
    case 'creature':
      return creature(spec.colour, place);
    default:
      return spec satisfies never;
  }
}

/** Hands the token on until its hops are used up; with `hops` a multiple of `size` it ends where it was asked for. */
function ringMember({ size, hops }: { size: number; hops: number }, place: Place): Role {
  const to = (place.index + 1) % size;
  return (message) => {
    const done = message.type === 'token' ? message.hops : 0;
    if (message.type === 'token' && done === hops) place.finish(done);
    else place.send(to, { type: 'token', hops: done + 1 });
  };
}

/** Adds up its work; `run` comes after all of it. */
function counter(place: Place): Role {
  let total = 0;
  return (message) => {
    if (message.type === 'work') {
      total += message.value;
    } else {
      place.finish(total);
      total = 0;
    }
  };
}

/** Pings others at random, one ping at a time, and answers theirs. */
function pinger({ actors, pings }: { actors: number; pings: number }, place: Place): Role {
  const random = lottery(place.index + 1);
  let answered = 0;
  const ping = () => {
    const other = (place.index + 1 + random(actors - 1)) % actors;
    place.send(other, { type: 'ping', from: place.index });
  };
  return (message) => {
    switch (message.type) {
      case 'run':
        answered = 0;
        ping();
        break;
      case 'ping':
        place.send(message.from, { type: 'pong' });
        break;
      case 'pong':
        answered += 1;
        if (answered === pings) place.finish(answered);
        else ping();
        break;
      default:
        throw new Error(`a pinger was sent ${message.type}`);
    }
  };
}

/** Brings two creatures together until the meetings are used up; finishes with the sum of what they counted. */
function mall(
  { creatures, meetings }: { creatures: number; meetings: number },
  place: Place,
): Role {
  let left = 0;
  let reported = 0;
  let sum = 0;
  let waiting: number | null = null;
  return (message) => {
    switch (message.type) {
      case 'run':
        [left, reported, sum] = [meetings, 0, 0];
        for (let to = 1; to <= creatures; to += 1) place.send(to, { type: 'begin' });
        break;
      case 'meet':
        if (left === 0) {
          place.send(message.from, { type: 'close' });
        } else if (waiting === null) {
          waiting = message.from;
        } else {
          left -= 1;
          place.send(waiting, message);
          waiting = null;
        }
        break;
      case 'met':
        reported += 1;
        sum += message.meetings;
        if (reported === creatures) place.finish(sum);
        break;
      default:
        throw new Error(`the mall was sent ${message.type}`);
    }
  };
}

/** Wants to meet; the one who waited works out the new colour and tells the other. The mall is number 0. */
function creature(born: Colour, place: Place): Role {
  let colour = born;
  let meetings = 0;
  const meet = () => place.send(0, { type: 'meet', from: place.index, colour });
  return (message) => {
    switch (message.type) {
      case 'begin':
        meetings = 0;
        meet();
        break;
      case 'meet':
        colour = complement(colour, message.colour);
        meetings += 1;
        place.send(message.from, { type: 'change', colour });
        meet();
        break;
      case 'change':
        colour = message.colour;
        meetings += 1;
        meet();
        break;
      case 'close':
        place.send(0, { type: 'met', meetings });
        break;
      default:
        throw new Error(`a creature was sent ${message.type}`);
    }
  };
}

/** Two of one colour keep it; two of different colours take the third. */
function complement(one: Colour, other: Colour): Colour {
  if (one === other) return one;
  return colours.find((colour) => colour !== one && colour !== other) ?? one;
}

/** Numbers below a bound, the same in each run: everyone plays the same game. */
function lottery(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
