// Owns what is loaded of a built checkout, this one or another: the library by its addresses, not by the names of this package.
import { pathToFileURL } from 'node:url';

type Library = typeof import('#src/index.js');
type Actors = typeof import('#src/actor.js');

/** What the things that are measured are made of. */
export type Checkout = {
  readonly library: Library;
  readonly actors: Actors;
  /** The module of the thread tool `add`. */
  readonly tools: URL;
};

/** The address of the folder that the library of a checkout is loaded from; `root` is its directory. */
export function libraryOf(root: string): string {
  return new URL('dist/src/', pathToFileURL(`${root}/`)).href;
}

/** The face of another checkout is expected to be that of this one. */
export async function loadCheckout(root: string): Promise<Checkout> {
  const folder = libraryOf(root);
  return {
    library: (await import(`${folder}index.js`)) as Library,
    actors: (await import(`${folder}actor.js`)) as Actors,
    tools: new URL('../bench/threads/add-tool.js', folder),
  };
}
