// Owns how one session's manager is set: its configuration, what only the program can say, its two lists of tools (A17 to A19).
import { z } from 'zod';
import type { ModelRef } from '../../agent/definition.ts';
import { absolutePath } from '../../agent/folder-schema.ts';
import { parseOptions } from '../../base/parse-options.ts';
import type { ImageBlock } from '../../protocol/history.ts';
import { timeoutSchema } from '../../tools/timeout-schema.ts';
import type { ToolsetName } from '../../tools/toolset-name.ts';
import { type ManagerConfig, managerConfig } from './config.ts';
import type { SubagentInput } from './subagent.ts';
import type { SubagentResult } from './task-book.ts';
import { registerBlacklistedTool, registerInherentTool, type ToolLists } from './tool-lists.ts';

/** What a persona makes of an agent of the operator. */
export type Persona = Pick<SubagentInput, 'systemPrompt' | 'tools' | 'skills' | 'examples'>;

/** What only the program can say, and no configuration file. */
export type ManagerOptions = {
  /** The folder that sessions have theirs below, absolute. Default: the supervisor's workspace. */
  readonly workspacesRoot?: string;
  /**
   * Folders outside of the root that the main agent's model may name as a `workdir`, with what is below them, absolute.
   * Without them it may name those below the root, other sessions' excepted. Default: none.
   */
  readonly workdirs?: readonly string[];
  /** The model behind a provider's id; undefined for an id it does not know. Default: the id is what a model is chosen by. */
  readonly providerOf?: (id: string) => ModelRef | undefined;
  /** Resolves a `persona_id`. Default: nothing. */
  readonly personaOf?: (id: string) => Persona | undefined;
  /** Registered tools that every subagent has as part of the place it runs in. Default: none. */
  readonly runtimeTools?: readonly string[];
  /**
   * The image behind what a model names in `image_urls` of a handoff: an address, a path, an id of the program's. What it throws is
   * the answer to the call. Default: handoffs take no images.
   */
  readonly imageOf?: (url: string) => ImageBlock | Promise<ImageBlock>;
  /** Toolsets of every subagent. Default: none. */
  readonly toolsets?: readonly ToolsetName[];
  /**
   * Milliseconds a handoff in the foreground may take; then the subagent is stopped. Default: none. For the tools of agents
   * that are registered from then on.
   */
  readonly timeoutMs?: number;
  /**
   * Called once with the end of a background task when the main agent has no run: at once if it comes then, or
   * at the end of the last run with each that it left unread, one by one. The end counts as read when it returns or
   * resolves; when it throws, the end is kept, a `log` event reports why, and the end of the next run repeats it.
   */
  readonly onWake?: (result: SubagentResult) => unknown;
};

const isFunction = (value: unknown): boolean => typeof value === 'function';
const names = z.array(z.string().min(1)).optional();

const schema = z.strictObject({
  workspacesRoot: absolutePath.optional(),
  workdirs: z.array(absolutePath).optional(),
  providerOf: z.custom<ManagerOptions['providerOf']>(isFunction, 'expected a function').optional(),
  personaOf: z.custom<ManagerOptions['personaOf']>(isFunction, 'expected a function').optional(),
  runtimeTools: names,
  imageOf: z.custom<ManagerOptions['imageOf']>(isFunction, 'expected a function').optional(),
  toolsets: names,
  timeoutMs: timeoutSchema.optional(),
  onWake: z.custom<ManagerOptions['onWake']>(isFunction, 'expected a function').optional(),
});

export class ManagerSettings {
  /** The defaults are made on first use: most sessions are configured first. */
  #config: ManagerConfig | null = null;
  #options: ManagerOptions = {};
  #moreLists: ToolLists = { blacklist: [], inherent: [] };

  get config(): ManagerConfig {
    this.#config ??= managerConfig();
    return this.#config;
  }

  get options(): ManagerOptions {
    return this.#options;
  }

  /** The lists of the configuration and what was registered since. */
  get lists(): ToolLists {
    const { blacklist, inherent } = this.config;
    return {
      blacklist: [...new Set([...blacklist, ...this.#moreLists.blacklist])],
      inherent: [...new Set([...inherent, ...this.#moreLists.inherent])],
    };
  }

  /** Messages that are kept of an agent's runs; null while none are, and none replayed. */
  get historyLimit(): number | null {
    const { historyEnabled, maxHistoryMessages } = this.config;
    return historyEnabled ? maxHistoryMessages : null;
  }

  /** A whole configuration, as `managerConfig` returns it. */
  configure(config: ManagerConfig): void {
    this.#config = config;
  }

  /** Options that are left out do not change. Throws `invalid_options`. */
  equip(options: ManagerOptions): void {
    this.#options = this.equippedWith(options);
  }

  /** What the options were with these; changes nothing. Throws `invalid_options`. */
  equippedWith(options: ManagerOptions): ManagerOptions {
    parseOptions(schema, options, 'subagent manager');
    return { ...this.#options, ...options };
  }

  /** Forgets nothing: what was stored is replayed again when it is turned on. */
  setHistoryEnabled(historyEnabled: boolean): void {
    this.#config = { ...this.config, historyEnabled };
  }

  /** For agents created from now on. Throws `invalid_options`. */
  registerBlacklistedTool(name: string): void {
    this.#moreLists = registerBlacklistedTool(this.#moreLists, name);
  }

  /** For agents created from now on. Throws `invalid_options`. */
  registerInherentTool(name: string): void {
    this.#moreLists = registerInherentTool(this.#moreLists, name);
  }
}
