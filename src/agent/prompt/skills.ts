// Owns what a skill is to a prompt, and the part that describes those of one agent (A61).

/** Something an agent knows how to do; described only to the agents it is assigned to. */
export type Skill = {
  /** What agents and `load_skill` name it by. */
  readonly name: string;
  /** What it is for and when to use it. */
  readonly description: string;
  /** The skill itself. The tool `load_skill` sends it when the agent asks for it; no prompt contains it. */
  readonly content?: string;
  /** Its folder, absolute: with the content come the names of its files, and `load_skill` reads them. */
  readonly path?: string;
  /** The prompt contains the content instead, from the first turn on. Default false. */
  readonly preload?: boolean;
};

/** What the tool is called by which an agent is sent a skill of its own. */
export const skillToolName = 'load_skill';

/** True for a skill that the prompt only describes, and that is sent when the agent asks for it. */
export function isLoadable({ content = '', preload = false }: Skill): boolean {
  return content.trim() !== '' && !preload;
}

/** The catalogue of an agent's skills; `hasTool` when it can load those that are not whole here. */
export function skillsPart(skills: readonly Skill[], hasTool: boolean): string {
  const advice = `Before you do what one of these is for, load it with ${skillToolName}: what is here is only what it is about.`;
  const isAdvised = hasTool && skills.some(isLoadable);
  return ['# Skills', ...(isAdvised ? [advice] : []), ...skills.map(oneSkill)].join('\n\n');
}

function oneSkill(skill: Skill): string {
  const { name, description, content = '', path } = skill;
  const head = `## ${name}\n\n${description}`;
  if (isLoadable(skill)) return head;
  const where = path === undefined ? '' : `\n\nIts files are in ${path}`;
  return `${head}${where}${content.trim() === '' ? '' : `\n\n${content.trim()}`}`;
}
