#!/usr/bin/env node
// The command `troupe`: hands its process to the command that was asked for, and sets the exit code. Ends by itself.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../base/clock.ts';
import { readCommandLine } from './command-line.ts';
import { init } from './init.ts';
import { introduction } from './introduction.ts';
import { journal } from './journal-command.ts';
import { Output } from './output.ts';
import type { ProjectNeeds } from './project-files.ts';
import { run } from './run.ts';

async function main(): Promise<number> {
  const stdout = new Output(process.stdout);
  const stderr = new Output(process.stderr);
  const { version, engines, dependencies } = packageOfTroupe();
  const command = readCommandLine(process.argv.slice(2), version);
  switch (command.type) {
    case 'text':
      stdout.write(command.text);
      return 0;
    case 'misuse':
      stderr.write(command.text);
      return 2;
    case 'introduction':
      stdout.write(introduction(fileURLToPath(new URL('../../../README.md', import.meta.url))));
      return 0;
    case 'init': {
      const needs = {
        engines,
        dependencies: { troupe: `^${version}`, zod: dependencies['zod'] ?? '*' },
      };
      return init(command.folder, { cwd: process.cwd(), stdout, stderr, needs });
    }
    case 'journal':
      return journal(command, { cwd: process.cwd(), stdout, stderr, now: systemClock.wallTime() });
    case 'run':
      return run(command.options, { process, stdout, stderr, clock: systemClock });
  }
}

type PackageOfTroupe = ProjectNeeds & { readonly version: string };

function packageOfTroupe(): PackageOfTroupe {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return JSON.parse(text) as PackageOfTroupe;
}

process.exitCode = await main();
