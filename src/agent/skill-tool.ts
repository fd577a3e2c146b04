// Owns the tool that sends a run its agent's skills, each once, with the names of its files. Reads those files too.
import { TroupeError, toFailure } from '../base/failures.ts';
import { entriesOf } from '../tools/builtin/list.ts';
import { objectSchema, oneOf, optional, text } from '../tools/builtin/object-schema.ts';
import { readTool } from '../tools/builtin/read.ts';
import { defineTool } from '../tools/define-tool.ts';
import { cutText } from '../tools/output.ts';
import type { AnyTool, ToolContext, ToolOutput } from '../tools/tool.ts';
import { isLoadable, type Skill, skillToolName } from './prompt/skills.ts';

/** Characters of a skill's text that an agent is sent; no other limit of results cuts it. */
export const maxSkillChars = 50_000;

const maxFiles = 100;
const maxFolders = 50;
const maxFilesChars = 10_000;

/**
 * The tool of one run; null when none of these skills has a text to load (A61: its enum names these and no others). A
 * skill that was sent is not sent again: the second result refers to the first. `file` reads a file of a skill's own
 * folder, confined to it as the file tools are to the workspace.
 */
export function skillTool(skills: readonly Skill[]): AnyTool | null {
  const loadable = new Map(skills.filter(isLoadable).map((skill) => [skill.name, skill]));
  if (loadable.size === 0) return null;
  const sent = new Set<string>();
  return defineTool({
    name: skillToolName,
    description:
      'Loads one of your skills: its instructions, and the names of the files it brings. With file, reads such a file.',
    input: requestSchema([...loadable.keys()]),
    idempotent: true,
    tags: ['skill'],
    run({ name, file }, tool) {
      const skill = loadable.get(name);
      // The schema accepts only names in the map.
      if (skill === undefined) throw new TroupeError('unknown_skill', `there is no skill ${name}`);
      if (file !== undefined) return readFile(skill, file, tool);
      if (sent.has(name)) {
        return `The skill ${name} was loaded before in this run: its text stands above and is not sent again.`;
      }
      const output = wholeOf(skill);
      sent.add(name);
      return output;
    },
  });
}

/** True for a call that is sent a skill's own text, which has a limit of its own. */
export function isSkillText(call: { readonly name: string; readonly input: unknown }): boolean {
  const { name, input } = call;
  if (name !== skillToolName || typeof input !== 'object' || input === null) return false;
  // Null counts as left out, as in the schema.
  return !('file' in input) || input.file === undefined || input.file === null;
}

function readFile({ name, path }: Skill, file: string, tool: ToolContext): ToolOutput {
  if (path === undefined) {
    throw new TroupeError('file_refused', `the skill ${name} brings no files`);
  }
  return readTool.run({ path: file }, { ...tool, workspace: path });
}

function wholeOf({ name, path, content = '' }: Skill): string {
  const elsewhere = (): string | null =>
    path === undefined ? null : 'SKILL.md: read it with file';
  const files = path === undefined ? '' : `\n\n${cutText(filesPart(path), maxFilesChars)}`;
  const tag = `<skill_content name=${JSON.stringify(name)}>`;
  const maxTextChars = maxSkillChars - tag.length - files.length - '\n\n</skill_content>'.length;
  return `${tag}\n${cutText(content.trim(), maxTextChars, elsewhere)}${files}\n</skill_content>`;
}

function filesPart(folder: string): string {
  const head = `Its folder is ${folder}`;
  try {
    const { files, isWhole } = filesOf(folder);
    if (files.length === 0) return head;
    const rest = isWhole ? [] : ['(and more)'];
    return [`${head}; read its files with file:`, ...files, ...rest].join('\n');
  } catch (error) {
    // The text is what was asked for; that the files are gone is part of the answer.
    return `${head}, which cannot be read: ${toFailure(error, 'file_refused').message}`;
  }
}

/** Files below a folder, level by level, `SKILL.md` apart; links are not followed. */
function filesOf(root: string): { readonly files: readonly string[]; readonly isWhole: boolean } {
  const files: string[] = [];
  const pending = [''];
  let searched = 0;
  for (let folder = pending.shift(); folder !== undefined; folder = pending.shift()) {
    if (searched === maxFolders) return { files, isWhole: false };
    searched += 1;
    for (const entry of entriesOf(root, folder || '.')) {
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) pending.push(`${path}/`);
      else if (entry.isFile() && path !== 'SKILL.md') {
        if (files.length === maxFiles) return { files, isWhole: false };
        files.push(path);
      }
    }
  }
  return { files, isWhole: true };
}

function requestSchema(names: readonly string[]) {
  return objectSchema({
    name: oneOf('The skill.', names),
    file: optional(text('A file that the skill brings, relative to its folder.')),
  });
}
