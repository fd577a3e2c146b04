// Owns what is reported of an agent of the operator that is left out.

/** What is wrong with one agent of the operator; the others are not touched by it. */
export type StaticFault = { readonly name: string; readonly why: string };
