// Owns which tools the main agent is offered now (A1, A13, A76 to A80).
import type { AnyTool } from '../../../tools/tool.ts';
import { mainBoardTools } from '../board-tools.ts';
import { anyHandoff } from '../names.ts';
import type { Subagents } from '../subagents.ts';
import { listTool, protectionTool, removeTool, resetTool } from './agent-tools.ts';
import { createTool } from './create-tool.ts';
import { anyHandoffTool } from './handoff-tool.ts';
import { waitTool } from './wait-tool.ts';

type Catalogue = {
  readonly wait: AnyTool;
  readonly create: AnyTool;
  readonly createInTree: AnyTool;
  readonly remove: AnyTool;
  readonly list: AnyTool;
  readonly protection: AnyTool;
  readonly reset: AnyTool;
  readonly anyHandoff: AnyTool;
};

/** The tools of one manager; each is made once, so that the same offer is the same list. */
export class OfferedTools {
  readonly #manager: Subagents;
  #catalogue: Catalogue | null = null;
  #board: readonly AnyTool[] | null = null;
  #last: readonly AnyTool[] = [];

  constructor(manager: Subagents) {
    this.#manager = manager;
  }

  /** For a loop that asks again for each request: handoff tools first, each agent's own. The same list while nothing changes. */
  now(): readonly AnyTool[] {
    const { settings } = this.#manager;
    const handoffs = this.#manager.agents().map(({ handoff }) => handoff);
    const { create } = this.#made();
    const tools = settings.config.enabled ? [...handoffs, ...this.#management(create)] : [];
    const isSame =
      tools.length === this.#last.length && tools.every((tool, at) => tool === this.#last[at]);
    if (!isSame) this.#last = tools;
    return this.#last;
  }

  /**
   * For an agent of the tree, whose tools are fixed when its run begins: one handoff tool for each agent there is, and one
   * for later ones. An agent named `subagent` is reached by that one.
   */
  forAgent(): readonly AnyTool[] {
    if (!this.#manager.settings.config.enabled) return [];
    const handoffs = this.#manager.agents().map(({ handoff }) => handoff);
    const named = handoffs.filter(({ name }) => name !== anyHandoff);
    const { anyHandoff: any, createInTree } = this.#made();
    return [...named, any, ...this.#management(createInTree)];
  }

  #management(create: AnyTool): readonly AnyTool[] {
    const { settings, host } = this.#manager;
    const { dynamicEnabled, cleanupAtRunEnd, historyEnabled } = settings.config;
    const { remove, list, protection, reset, wait } = this.#made();
    return [
      ...(dynamicEnabled ? [create, remove, list] : []),
      ...(dynamicEnabled && cleanupAtRunEnd ? [protection] : []),
      ...(historyEnabled ? [reset] : []),
      wait,
      ...(host.board.isOn ? this.#boardTools() : []),
    ];
  }

  #boardTools(): readonly AnyTool[] {
    const manager = this.#manager;
    const agents = (): Iterable<string> => manager.agents().map(({ name }) => name);
    this.#board ??= mainBoardTools({ board: manager.host.board, agents });
    return this.#board;
  }

  #made(): Catalogue {
    const manager = this.#manager;
    this.#catalogue ??= {
      wait: waitTool(manager),
      create: createTool(manager, 'loop'),
      createInTree: createTool(manager, 'tree'),
      remove: removeTool(manager),
      list: listTool(manager),
      protection: protectionTool(manager),
      reset: resetTool(manager),
      anyHandoff: anyHandoffTool(manager),
    };
    return this.#catalogue;
  }
}
