// Owns the tools of an agent in groups that can be switched, and what its model may switch (D21). Runs no tool.
import { z } from 'zod';
import { type ToolReference, toolReferenceSchema } from '../../../agent/definition.ts';
import { describe, TroupeError } from '../../../base/failures.ts';
import { parseOptions } from '../../../base/parse-options.ts';
import { isTool } from '../../../tools/define-tool.ts';
import { type StateDict, StateModule } from '../base/state.ts';

/** Tools that are switched on and off together. */
export type ToolGroup = {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** What its tools are for; the model chooses by it. */
  readonly description: string;
  /** Text that the model receives when it switches the group on. */
  readonly notes?: string;
  /** Whether the model is offered its tools. */
  readonly isActive: boolean;
};

/** The group that is always on. */
export const basicGroup = 'basic';

const groupName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected letters, digits, _ and -');
const stateSchema = z.object({ active: z.array(z.string()) });

/** Tools by reference: objects run in the service, what a URL exports in the agent's thread, a name is the supervisor's. */
export class Toolkit extends StateModule {
  readonly #tools: { readonly tool: ToolReference; readonly group: string }[] = [];
  readonly #groups = new Map<string, ToolGroup>();

  constructor(tools: readonly ToolReference[] = []) {
    super();
    for (const tool of tools) this.register(tool);
  }

  /** Throws `invalid_tool` for what is no tool or a name that is taken, `invalid_options` for a group there is not. */
  register(tool: ToolReference, group: string = basicGroup): void {
    parseOptions(toolReferenceSchema, tool, 'Toolkit.register', 'invalid_tool');
    if (group !== basicGroup) this.#group(group);
    const name = nameOf(tool);
    if (this.#tools.some((each) => nameOf(each.tool) === name)) {
      throw new TroupeError('invalid_tool', `two tools are named ${describe(name)}; rename one`);
    }
    this.#tools.push({ tool, group });
  }

  /** By name, or the URL of a module. False when it is not there. */
  delete(name: string): boolean {
    const at = this.#tools.findIndex((each) => nameOf(each.tool) === name);
    if (at < 0) return false;
    this.#tools.splice(at, 1);
    return true;
  }

  /** Throws `invalid_options` for a name that is taken or not allowed. */
  createGroup(
    name: string,
    options: { readonly description: string; readonly notes?: string; readonly isActive?: boolean },
  ): void {
    parseOptions(groupName, name, 'Toolkit.createGroup: name');
    if (name === basicGroup || this.#groups.has(name)) {
      throw new TroupeError('invalid_options', `there is a group ${describe(name)} already`);
    }
    this.#groups.set(name, { isActive: false, ...options, name });
  }

  /** With its tools. Throws `invalid_options` for a group there is not. */
  deleteGroup(name: string): void {
    this.#group(name);
    this.#groups.delete(name);
    const left = this.#tools.filter((each) => each.group !== name);
    this.#tools.splice(0, this.#tools.length, ...left);
  }

  /** Switches groups; takes effect with the next request. Throws `invalid_options` for an unknown group. */
  setActive(names: readonly string[], isActive: boolean): void {
    for (const name of names) this.#group(name);
    for (const name of names) this.#groups.set(name, { ...this.#group(name), isActive });
  }

  /** All groups, on or off, in the order they were registered. */
  groups(): readonly ToolGroup[] {
    return [...this.#groups.values()];
  }

  /** What is on now, in the order it was registered. */
  tools(): readonly ToolReference[] {
    return this.#tools.filter(({ group }) => this.#isActive(group)).map(({ tool }) => tool);
  }

  /** Names of what is on now; a module by its URL. */
  names(): readonly string[] {
    return this.tools().map(nameOf);
  }

  override stateDict(): StateDict {
    return { active: this.groups().flatMap(({ name, isActive }) => (isActive ? [name] : [])) };
  }

  /** Groups that the state does not name are off; one that there is not any more is left out. */
  override loadStateDict(state: StateDict): void {
    const { active } = parseOptions(stateSchema, state, 'toolkit');
    for (const name of this.#groups.keys()) this.setActive([name], active.includes(name));
  }

  #isActive(group: string): boolean {
    return group === basicGroup || this.#groups.get(group)?.isActive === true;
  }

  #group(name: string): ToolGroup {
    const group = this.#groups.get(name);
    if (group !== undefined) return group;
    const there = [...this.#groups.keys()].join(', ') || 'none';
    throw new TroupeError(
      'invalid_options',
      `the toolkit has no group ${describe(name)}; it has: ${there}`,
    );
  }
}

/** The name that identifies a tool. */
function nameOf(tool: ToolReference): string {
  return isTool(tool) ? tool.name : String(tool);
}
