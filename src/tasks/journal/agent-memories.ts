// Owns how the memory of a persistent agent that only the journal has is read: for its next run, and for code that looks at it.
import { TroupeError, toFailure } from '../../base/failures.ts';
import type { Effect } from '../effect.ts';
import type { SchedulerMessage } from '../messages.ts';
import type { Agent } from '../state.ts';
import type { TaskJournal } from './task-journal.ts';
import type { LoadedAgent } from './written-agent.ts';

export type AgentMemoriesOptions = {
  readonly journal: Pick<TaskJournal, 'findAgent' | 'readAgent'>;
  /** What is known at once. Its own effects go before those that wait. */
  readonly answer: (message: SchedulerMessage) => void;
  /** What comes later. */
  readonly dispatch: (message: SchedulerMessage) => void;
};

export class AgentMemories {
  readonly #options: AgentMemoriesOptions;

  constructor(options: AgentMemoriesOptions) {
    this.#options = options;
  }

  /** What comes of it is a message. */
  perform({
    type,
    agent,
  }: Extract<Effect, { readonly type: 'load_memory' | 'keep_memory' }>): void {
    if (type === 'load_memory') this.#load(agent);
    else this.#keep(agent);
  }

  /** Waits for it. Throws what is wrong with the journal, and `actor_terminated` where that has forgotten the agent. */
  read(agent: Agent): LoadedAgent {
    const { name = '' } = agent;
    return present(agent, this.#options.journal.readAgent(name));
  }

  #load(agent: Agent): void {
    const { journal, dispatch } = this.#options;
    const { name = '' } = agent;
    journal
      .findAgent(name, true)
      .then((found) => dispatch({ type: 'memory_loaded', agent, loaded: present(agent, found) }))
      .catch((thrown: unknown) => {
        dispatch({ type: 'memory_lost', agent, error: toFailure(thrown, 'journal_failed') });
      });
  }

  /** Reads it at once, before the journal forgets the agent; one that cannot be read is missed by code that looks at it alone. */
  #keep(agent: Agent): void {
    const { answer } = this.#options;
    let loaded: LoadedAgent;
    try {
      loaded = this.read(agent);
    } catch (thrown) {
      answer({ type: 'memory_lost', agent, error: toFailure(thrown, 'journal_failed') });
      return;
    }
    answer({ type: 'memory_loaded', agent, loaded });
  }
}

function present({ path }: Agent, found: LoadedAgent | null): LoadedAgent {
  if (found !== null) return found;
  throw new TroupeError('actor_terminated', `${path} has ended, and its memory with it`);
}
