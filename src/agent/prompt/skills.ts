// Owns what a skill is to a prompt, and the part that describes those of one agent (A61).

/** Something an agent knows how to do; described only to the agents it is assigned to. */
export type Skill = {
  readonly name: string;
  /** What it is for and when to use it. */
  readonly description: string;
  /** The skill itself, given whole. */
  readonly content?: string;
  /** Where its files are, for agents that can read. */
  readonly path?: string;
};

export function skillsPart(skills: readonly Skill[]): string {
  return ['# Skills', ...skills.map(oneSkill)].join('\n\n');
}

function oneSkill({ name, description, content, path }: Skill): string {
  const where = path === undefined ? '' : `\n\nIts files are in ${path}`;
  const whole = content === undefined ? '' : `\n\n${content.trim()}`;
  return `## ${name}\n\n${description}${where}${whole}`;
}
