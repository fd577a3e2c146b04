// Owns `troupe init`: writes a small project into a folder, or nothing where one of its files is there already.
import { lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isRecord } from '../base/is-record.ts';
import type { Output } from './output.ts';
import {
  type ProjectFile,
  type ProjectNeeds,
  packageFile,
  program,
  programTest,
  projectFiles,
} from './project-files.ts';
import { reasonOf } from './reason.ts';

type Place = {
  readonly cwd: string;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly needs: ProjectNeeds;
};

/** Writes the project and says what to run; returns the exit code. A package.json that is there is read, never changed. */
export function init(folder: string, { cwd, stdout, stderr, needs }: Place): 0 | 1 | 2 {
  const root = resolve(cwd, folder);
  const refuse = (message: string): 2 => {
    stderr.line(`troupe: ${message}`);
    return 2;
  };
  let declared: ReadonlySet<string> | null;
  try {
    const isFolder = statSync(root, { throwIfNoEntry: false })?.isDirectory() ?? true;
    if (!isFolder) return refuse(`${folder} is no folder`);
    declared = declaredIn(join(root, 'package.json'));
  } catch (error) {
    return refuse(`${join(folder, 'package.json')} cannot be read: ${reasonOf(error)}`);
  }
  const files = declared === null ? [packageFile(needs), ...projectFiles] : projectFiles;
  const inTheWay = files.filter(({ name }) => exists(join(root, name)));
  if (inTheWay.length > 0) {
    const names = inTheWay.map(({ name }) => join(folder, name)).join(', ');
    return refuse(`already there: ${names}; nothing was written. Name another folder.`);
  }
  for (const file of files) {
    try {
      write(root, file);
    } catch (error) {
      stderr.line(`troupe: ${join(folder, file.name)} cannot be written: ${reasonOf(error)}`);
      return 1;
    }
    stdout.line(`wrote  ${join(folder, file.name)}`);
  }
  for (const line of nextSteps({ folder: relative(cwd, root), declared, needs })) stdout.line(line);
  return 0;
}

/** A link that leads nowhere is there as well. */
function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function write(root: string, { name, text }: ProjectFile): void {
  mkdirSync(root, { recursive: true });
  // A file that came to be there since the check is not written over either.
  writeFileSync(join(root, name), text, { flag: 'wx' });
}

/** The packages that a package.json declares; null where there is none. Throws what is wrong with it. */
function declaredIn(path: string): ReadonlySet<string> | null {
  if (!exists(path)) return null;
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (!isRecord(value)) throw new Error('expected an object');
  const kinds = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
  return new Set(kinds.flatMap((kind) => Object.keys(value[kind] ?? {})));
}

function nextSteps(project: {
  /** Empty: the current one. */
  readonly folder: string;
  readonly declared: ReadonlySet<string> | null;
  readonly needs: ProjectNeeds;
}): readonly string[] {
  const { folder, declared, needs } = project;
  const missing = Object.keys(needs.dependencies).filter((name) => declared?.has(name) !== true);
  const install = declared === null || missing.length === 0 ? '' : ` ${missing.join(' ')}`;
  return [
    '',
    ...(declared === null ? [] : ['package.json was there and is unchanged.']),
    'Run:',
    ...(folder === '' ? [] : [`  cd ${JSON.stringify(folder)}`]),
    `  npm install${install}`,
    `  node ${program}`,
    declared === null ? '  npm test' : `  node --test ${programTest}`,
    '',
    'No key is needed: the model is "offline". The line to change for a real one is in agents.mjs.',
  ];
}
