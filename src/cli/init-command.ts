// Owns the arguments of `troupe init` and its help. Writes nothing.
import type { Command } from 'commander';

export type InitCommand = { readonly type: 'init'; readonly folder: string };

/** Adds the command to the program; `onCommand` is called with what was asked for, or with what is wrong. */
export function describeInit(
  program: Command,
  onCommand: (command: InitCommand | string) => void,
): void {
  program
    .command('init')
    .description('Write a small project that runs without a key: a program, a tool, a test.')
    .argument('[folder]', 'created when it is not there', '.')
    .addHelpText('after', afterHelp)
    .action((folder: string) =>
      onCommand(folder === '' ? 'the name of the folder is empty' : { type: 'init', folder }),
    );
}

const afterHelp = `
Examples:
  troupe init my-agents
  troupe init

It writes agents.mjs, tools.mjs, program.mjs and agents.test.mjs, and a package.json where there is none.
No file is overwritten: when one of them is there already, nothing is written.

Exit code: 0 written, 1 a file could not be written, 2 misuse.`;
