// Owns arithmetic on named numbers: what a meter has counted so far, and what of it one thing cost.

import { median } from '../statistics.ts';

export type Figures = Readonly<Record<string, number>>;

/** Each number of `later` less that of `earlier`; a name that one of them lacks is 0 there. */
export function difference(later: Figures, earlier: Figures): Figures {
  const names = new Set([...Object.keys(later), ...Object.keys(earlier)]);
  return mapped(names, (name) => (later[name] ?? 0) - (earlier[name] ?? 0));
}

export function sum(all: readonly Figures[]): Figures {
  const names = new Set(all.flatMap((each) => Object.keys(each)));
  return mapped(names, (name) => all.reduce((total, each) => total + (each[name] ?? 0), 0));
}

/** Of each number the middle one. */
export function medians(all: readonly Figures[]): Figures {
  const names = new Set(all.flatMap((each) => Object.keys(each)));
  return mapped(names, (name) => median(all.map((each) => each[name] ?? 0)));
}

export function divided(figures: Figures, by: number): Figures {
  return mapped(Object.keys(figures), (name) => (figures[name] ?? 0) / by);
}

function mapped(names: Iterable<string>, numberOf: (name: string) => number): Figures {
  return Object.fromEntries([...names].map((name) => [name, numberOf(name)]));
}
