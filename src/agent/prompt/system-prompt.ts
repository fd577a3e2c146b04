// Owns the system prompt of an agent: named parts in one order, nothing in it that changes from call to call (A38).
import type { Outputs } from '../../protocol/required-outputs.ts';
import { behaviourPart } from './behaviour.ts';
import { nonInteractivePart } from './non-interactive.ts';
import { answerPart, outputsPart } from './required-outputs.ts';
import { rolePart } from './role.ts';
import { type Skill, skillsPart } from './skills.ts';
import { workingDirectoryPart } from './working-directory.ts';

const defaultPrompt =
  'You are a subagent. Work on the task you are given with the tools you have, then answer with what you found. ' +
  'Your last message is the only thing your caller sees.';

/** The parts of a prompt; a part that is undefined is not in the prompt. */
export type PromptParts = {
  /** The definition's own prompt; a general one when it has none. */
  readonly prompt?: string | undefined;
  /** Added after the prompt; nothing when empty. */
  readonly addition?: string | undefined;
  /** The agent's own name, given ahead of its prompt (A37). */
  readonly role?: string | undefined;
  /** The folder it works in; with `isOutputFolder` the prompt explains what the folder is for (A58). */
  readonly workspace?: { readonly path: string; readonly isOutputFolder: boolean } | undefined;
  /** Rules of behaviour: `true` for the built-in ones, or a text instead of them (A59). */
  readonly behaviour?: true | string | undefined;
  /** Those assigned to the agent, no others (A61). */
  readonly skills?: readonly Skill[] | undefined;
  /** It has the tool that loads those which are not whole in the prompt. */
  readonly loadsSkills?: boolean | undefined;
  /** Variables it has to emit (B15). */
  readonly outputs?: Outputs | undefined;
  /** The tool it has to answer by (D19). */
  readonly answer?: { readonly tool: string } | undefined;
  /** No user is there to answer its questions (B16). */
  readonly nonInteractive?: boolean | undefined;
};

/** The system prompt; byte-identical for every run with the same parts. */
export function systemPrompt(parts: PromptParts): string {
  const { prompt = defaultPrompt, addition = '', role, workspace, behaviour, skills = [] } = parts;
  const { outputs, answer, nonInteractive } = parts;
  return [
    role === undefined ? prompt : rolePart(role, prompt),
    ...(addition === '' ? [] : [addition]),
    ...(workspace === undefined
      ? []
      : [workingDirectoryPart(workspace.path, workspace.isOutputFolder)]),
    ...(behaviour === undefined ? [] : [behaviourPart(behaviour)]),
    ...(skills.length === 0 ? [] : [skillsPart(skills, parts.loadsSkills === true)]),
    ...(outputs === undefined ? [] : [outputsPart(outputs)]),
    ...(answer === undefined ? [] : [answerPart(answer.tool)]),
    ...(nonInteractive === true ? [nonInteractivePart] : []),
  ].join('\n\n');
}
