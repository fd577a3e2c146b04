// Owns how the memory of a persistent agent that only the journal has is read: for its next run, and for code that looks at it.
import { TroupeError, toFailure } from '../../base/failures.ts';
import type { SchedulerMessage } from '../messages.ts';
import type { Agent } from '../state.ts';
import type { TaskJournal } from './task-journal.ts';
import type { LoadedAgent } from './written-agent.ts';

export type AgentMemoriesOptions = {
  readonly journal: Pick<TaskJournal, 'findAgent' | 'readAgent'>;
  readonly dispatch: (message: SchedulerMessage) => void;
};

export class AgentMemories {
  readonly #options: AgentMemoriesOptions;

  constructor(options: AgentMemoriesOptions) {
    this.#options = options;
  }

  /** Waits for it. Throws what is wrong with the journal, and `actor_terminated` where that has forgotten the agent. */
  read(agent: Agent): LoadedAgent {
    const { name = '' } = agent;
    return present(agent, this.#options.journal.readAgent(name));
  }

  /** What comes of it is a message, before anything that is written later takes effect. */
  load(agent: Agent): void {
    const { journal, dispatch } = this.#options;
    const { name = '' } = agent;
    journal
      .findAgent(name, true)
      .then((found) => dispatch({ type: 'memory_loaded', agent, loaded: present(agent, found) }))
      .catch((thrown: unknown) => {
        dispatch({ type: 'memory_lost', agent, error: toFailure(thrown, 'journal_failed') });
      });
  }
}

function present({ path }: Agent, found: LoadedAgent | null): LoadedAgent {
  if (found !== null) return found;
  throw new TroupeError('actor_terminated', `${path} has ended, and its memory with it`);
}
