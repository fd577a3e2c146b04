// Owns what a thread needs before it can load a module in TypeScript: nothing where Node strips types, else tsx, whose
// hooks no thread inherits.
import { fileURLToPath } from 'node:url';
import { tsxBeside } from '../src/base/tsx.ts';

const typeScript = /\.[cm]?tsx?$/;

export class TypeScript {
  /** The loader this process was started with; null: none. */
  readonly #ofHost: string | null;
  #registered: Promise<void> | null = null;

  constructor(ofHost: string | null) {
    this.#ofHost = ofHost;
  }

  /** Resolves when the module can be imported; throws what to do when it cannot. Other modules are left alone. */
  async prepare(url: string): Promise<void> {
    const { protocol, pathname } = new URL(url);
    if (protocol !== 'file:' || !typeScript.test(pathname)) return;
    // A program under tsx is written for tsx: Node alone takes less, and finds fewer files.
    if (this.#ofHost === null && Reflect.get(process.features, 'typescript')) return;
    const loader = this.#ofHost ?? tsxBeside(fileURLToPath(url));
    if (loader === null) {
      throw new Error(
        `Node ${process.versions.node} loads no TypeScript: install tsx beside the module, use Node 22.18 or later, or name the compiled .js`,
      );
    }
    this.#registered ??= register(loader);
    await this.#registered;
  }
}

async function register(loader: string): Promise<void> {
  const tsx: { register(): unknown } = await import(loader);
  tsx.register();
}
