// Owns a folder as `npm install` leaves it with the built package in it. For tests of programs that users write.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Makes it with these files, below the packages of this repository, and removes it once `use` is done. */
export async function inInstalledFolder(
  files: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(root, 'dist', 'installed-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules', 'troupe'), 'dir');
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
