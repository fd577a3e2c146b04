#!/usr/bin/env node
// The command `troupe`: hands its process to the command that was asked for, and sets the exit code. Ends by itself.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { systemClock } from '../base/clock.ts';
import { readCommandLine } from './command-line.ts';
import { Output } from './output.ts';
import { run } from './run.ts';

async function main(): Promise<number> {
  const stdout = new Output(process.stdout);
  const stderr = new Output(process.stderr);
  const command = readCommandLine(process.argv.slice(2), packageVersion());
  switch (command.type) {
    case 'text':
      stdout.write(command.text);
      return 0;
    case 'misuse':
      stderr.write(command.text);
      return 2;
    case 'run':
      return run(command.options, { process, stdout, stderr, clock: systemClock });
  }
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { readonly version: string };
  return version;
}

process.exitCode = await main();
