// Owns skill files: folders with a `SKILL.md`, found by a bounded scan and read as skills of a supervisor.
import { basename, join, resolve } from 'node:path';
import type { Skill } from '../../agent/prompt/skills.ts';
import { maxSkillChars } from '../../agent/skill-tool.ts';
import { parseOptions } from '../../base/parse-options.ts';
import { NearestFirst, readDefinition } from './definition-file.ts';
import {
  Diagnostics,
  entriesOf,
  type FileDiagnostic,
  passOverLink,
  type Report,
} from './definition-folder.ts';
import { type DefinitionSource, sourcesSchema, trustedFolders } from './definition-sources.ts';

/** What `loadSkills` found. */
export type LoadedSkills = {
  /** Ready for the `skills` of a supervisor; nearest folder first, then as the scan met them. */
  readonly skills: readonly Skill[];
  /** What was left out of the files, and why. */
  readonly diagnostics: readonly FileDiagnostic[];
};

const skillFile = 'SKILL.md';
/** Where a project keeps its skills, the nearest first. */
const places = ['.agents/skills', '.claude/skills'];
const maxDepth = 4;
const maxFolders = 2_000;
/** Large, and never a place of skills. */
const unsearched: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/** Fields of the format that describe a skill to people. */
const informative: ReadonlySet<string> = new Set([
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
]);

/**
 * Reads the skills below these folders, nearest first; of a trusted project those below `.agents/skills` and
 * `.claude/skills`, of an untrusted one none, with an error for each of these it has. The nearest of one name is taken,
 * and a diagnostic names the other. Each folder is searched four folders deep and for at most 2,000 folders, except
 * `.git` and `node_modules`; links are not followed, and a skill's own folders are not searched for more skills.
 *
 * A skill without a name or a description is left out with an error; other faults are warnings, also a text longer than
 * the format advises. `path` is set when the skill has files beside its `SKILL.md`, or a text too long to send whole.
 * Rejects `invalid_options` for `folders` of another type, never for the contents of a folder.
 */
export async function loadSkills(folders: readonly DefinitionSource[]): Promise<LoadedSkills> {
  parseOptions(sourcesSchema, folders, 'loadSkills: folders');
  const diagnostics = new Diagnostics();
  const loaded = new NearestFirst<Skill>('skill');
  for (const folder of await trustedFolders(folders, places, diagnostics)) {
    for (const found of await skillFolders(folder, diagnostics)) {
      const file = join(found.folder, skillFile);
      const report = diagnostics.about(file);
      const skill = await readSkill(found, report);
      if (skill !== null) loaded.take(file, skill, report);
    }
  }
  return { skills: loaded.all, diagnostics: diagnostics.all };
}

type Found = { readonly folder: string; readonly hasFiles: boolean };

/** Folders with a `SKILL.md`, level by level: a bound that is met leaves out what lies deepest. */
async function skillFolders(root: string, diagnostics: Diagnostics): Promise<readonly Found[]> {
  const found: Found[] = [];
  const pending = [{ folder: root, depth: 0 }];
  let searched = 0;
  let tooDeep = 0;
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    if (searched === maxFolders) {
      const rest = `only the first ${maxFolders} folders were searched for skills`;
      diagnostics.about(root).warn(`${rest}; ${next.folder} is the first that was not`);
      break;
    }
    searched += 1;
    const { folder, depth } = next;
    const entries = (await entriesOf(folder, diagnostics.about(folder))) ?? [];
    const main = entries.find(({ name }) => name === skillFile);
    if (main?.isFile() === true) {
      found.push({ folder, hasFiles: entries.length > 1 });
      continue;
    }
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) passOverLink(diagnostics.about(path));
      if (!entry.isDirectory() || unsearched.has(entry.name)) continue;
      if (depth < maxDepth) pending.push({ folder: path, depth: depth + 1 });
      else tooDeep += 1;
    }
  }
  if (tooDeep > 0) {
    const message = `${tooDeep} folders lie deeper than ${maxDepth} and were not searched for skills`;
    diagnostics.about(root).warn(message);
  }
  return found;
}

async function readSkill({ folder, hasFiles }: Found, report: Report): Promise<Skill | null> {
  const read = await readDefinition(join(folder, skillFile), report);
  if (read === null) return null;
  const { name, description } = read;
  remarkOn({ name, description, folderName: basename(resolve(folder)) }, report);
  for (const field of read.fields.keys()) {
    if (informative.has(field)) continue;
    const known = field === 'allowed-tools';
    report.warn(known ? `${field} has no effect here yet` : 'no known field: no effect', field);
  }
  remarkOnText(read.body, report);
  return {
    name,
    description,
    ...(read.body === '' ? {} : { content: read.body }),
    // A text that is cut when it is loaded is read on in its file.
    ...(hasFiles || read.body.length > maxSkillChars ? { path: resolve(folder) } : {}),
  };
}

/** What the format advises: 500 lines, and 5,000 tokens of about four characters. */
const advisedLines = 500;
const advisedChars = 20_000;

function remarkOnText(body: string, report: Report): void {
  if (body === '') report.warn('there is no text below the front matter, and so nothing to load');
  const lines = body.split('\n').length;
  if (lines <= advisedLines && body.length <= advisedChars) return;
  const size = `the text has ${lines} lines and ${body.length} characters`;
  const advice = `advised are at most ${advisedLines} and ${advisedChars}, the rest in files beside it`;
  const cut = body.length > maxSkillChars ? `; agents are sent the first ${maxSkillChars}` : '';
  report.warn(`${size}; ${advice}${cut}`);
}

const nameForm = /^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$/;
const maxDescription = 1_024;

function remarkOn(
  { name, description, folderName }: { name: string; description: string; folderName: string },
  report: Report,
): void {
  if (name !== folderName) {
    report.warn(`the name is ${name}, and its folder is ${folderName}; they should be one`, 'name');
  }
  if (!nameForm.test(name)) {
    const form = 'at most 64 of a-z, 0-9 and single hyphens within';
    report.warn(`the name ${name} may not be known elsewhere: expected ${form}`, 'name');
  }
  if (description.length > maxDescription) {
    const size = `${description.length} characters, more than ${maxDescription}`;
    report.warn(
      `the description has ${size}, and every prompt with the skill has it`,
      'description',
    );
  }
}
