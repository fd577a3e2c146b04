// Owns which skills an agent has, and whether it can load them. Pure.
import type { Skill } from '../../agent/prompt/skills.ts';
import { skillTool } from '../../agent/skill-tool.ts';
import { describe, TroupeError } from '../../base/failures.ts';
import { insteadOf } from '../../base/nearest-name.ts';
import { resolveGrants } from '../../tools/grants.ts';
import type { AnyTool } from '../../tools/tool.ts';

/** The skills of these names, each once (A61). Throws `unknown_skill`. */
export function assignedSkills(
  names: readonly string[] = [],
  known: ReadonlyMap<string, Skill>,
): readonly Skill[] {
  return [...new Set(names)].map((name) => {
    const skill = known.get(name);
    if (skill !== undefined) return skill;
    const why = `there is no skill ${describe(name)} among \`skills\`; ${insteadOf(name, [...known.keys()])}`;
    throw new TroupeError('unknown_skill', why);
  });
}

/** The tool that loads them; null without one to load, or when it is denied: a denial wins here too (X7). */
export function grantedSkillTool(
  skills: readonly Skill[],
  denied: readonly string[],
): AnyTool | null {
  const tool = skillTool(skills);
  if (tool === null) return null;
  return resolveGrants({ registered: [tool], denied })[0] ?? null;
}
