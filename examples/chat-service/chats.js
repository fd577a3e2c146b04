// The chats of the service: one session each, with a main agent that remembers and two subagents that share a board.
import { defineAgent } from 'troupe';
import { subagentManager } from 'troupe/subagent-manager';

const subagents = [
  {
    name: 'archivist',
    description: 'keeps facts',
    systemPrompt:
      'Post each fact you are told to the board as a status, then say that you have it.',
  },
  {
    name: 'writer',
    description: 'answers from what the archivist has posted to the board',
    systemPrompt: 'Answer in one sentence, from what stands on the board alone.',
  },
].map((each) => ({ ...each, tools: [], workdir: process.cwd() })); // by default each has a folder of its own

const staff = subagents.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
const prompt = `You chat. Hand facts and questions to your subagents, with transfer_to_subagent:\n${staff}`;
const askMs = 120_000;

export class Chats {
  #supervisor;
  /** The main agent of each chat, while it is there or comes. */
  #mains = new Map();
  /** Chats that are being forgotten: whoever comes meanwhile waits for the end of it. */
  #leaving = new Map();

  constructor(supervisor) {
    this.#supervisor = supervisor;
  }

  /** Says something to the main agent of a chat, the first time to a new one. One message at a time, in their order. */
  async say(id, message, signal) {
    const main = await this.#mainOf(id);
    const { status, text, error } = await main.ask(message, { timeoutMs: askMs, signal });
    return { status, text: text || (error?.message ?? '') };
  }

  /** What there is of a chat: its agents as they stand, its board, its runs with those that ended. Null when there is none. */
  async tree(id) {
    const main = await this.#mains.get(id);
    if (main === undefined) return null;
    const { statuses, board } = subagentManager(this.#supervisor.session(id)).snapshot();
    const roots = this.#supervisor.tree({ ended: true });
    return { statuses, board, runs: roots.filter(({ agentId }) => agentId === main.id) };
  }

  /** Ends what runs in a chat and forgets all of it. False when there was none. */
  async forget(id) {
    const main = this.#mains.get(id);
    if (main === undefined) return this.#leaving.has(id);
    this.#mains.delete(id);
    const left = this.#leave(id, main).finally(() => this.#leaving.delete(id));
    this.#leaving.set(id, left);
    await left;
    return true;
  }

  async #leave(id, main) {
    await (await main).stop();
    await this.#supervisor.session(id).reset();
  }

  async #mainOf(id) {
    await this.#leaving.get(id);
    const known = this.#mains.get(id);
    if (known !== undefined) return known;
    const coming = this.#open(id);
    this.#mains.set(id, coming);
    coming.catch(() => this.#mains.delete(id)); // who asked is told; the next one may try again
    return coming;
  }

  async #open(id) {
    const manager = subagentManager(this.#supervisor.session(id));
    manager.configure({ enabled: true, boardEnabled: true, timeEnabled: false });
    for (const each of subagents) await manager.create(each, true); // protected: they outlive a run
    const main = defineAgent({ name: 'main', prompt, tools: [], ...manager.mainAgent() });
    return this.#supervisor.spawn(main, { name: id, survivesCrash: true });
  }
}
