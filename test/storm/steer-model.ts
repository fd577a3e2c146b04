// Owns what runs must have been told when they end: each steer once, and the end of each background task (M2, X5).
import type { Message, TroupeEvent } from '#src/index.js';
import type { SeenTask } from './state-model.ts';

export class SteerModel {
  /** Every status that was told of a steer. */
  readonly #steers = new Map<string, string[]>();
  readonly #steersOf = new Map<string, Set<string>>();
  /** Words of steers that an ended run had heard. */
  readonly #taken = new Set<string>();
  /** Tasks that were interrupted: a run that had its answer by then keeps it, and takes no turn for what came (S9). */
  readonly #interrupted = new Set<string>();
  readonly #fault: (what: string) => void;

  constructor(fault: (what: string) => void) {
    this.#fault = fault;
  }

  /** The last thing that was told of a steer. */
  endOf(steerId: string): string | undefined {
    return this.#steers.get(steerId)?.at(-1);
  }

  /** After the end of everything: every steer is over. */
  judge(): void {
    for (const [id, statuses] of this.#steers) this.#checkSteer(id, statuses);
  }

  see(event: TroupeEvent): void {
    const { taskId = '' } = event;
    switch (event.type) {
      case 'steering_updated':
        this.#steered(event);
        break;
      case 'timeout_fired':
      case 'interrupt_requested':
        this.#interrupted.add(taskId);
        break;
      case 'agent_stopped':
        if (event.reason !== 'normal') this.#interrupted.add(taskId);
        break;
      default:
        break;
    }
  }

  #steered({ steerId, status, taskId = '' }: TroupeEvent<'steering_updated'>): void {
    const statuses = this.#steers.get(steerId) ?? [];
    statuses.push(status);
    this.#steers.set(steerId, statuses);
    const ofTask = this.#steersOf.get(taskId) ?? new Set();
    ofTask.add(steerId);
    this.#steersOf.set(taskId, ofTask);
  }

  #checkSteer(id: string, statuses: readonly string[]): void {
    const ends = statuses.filter((each) => each !== 'queued');
    const isWhole = ends.length === 1 && statuses.length - ends.length <= 1;
    const isOrdered = statuses.length === 1 || statuses[0] === 'queued';
    if (!isWhole || !isOrdered) this.#fault(`M2: steer ${id} was told ${statuses.join(', ')}`);
  }

  /** Each steer of the run is over; each that was taken was said once, none that was not (M2). */
  ended(task: SeenTask, messages: readonly Message[]): void {
    let taken = 0;
    for (const id of this.#steersOf.get(task.id) ?? []) {
      const statuses = this.#steers.get(id) ?? [];
      this.#checkSteer(id, statuses);
      // Notices of background tasks have a dot in their id; they are checked by what they say.
      if (statuses.at(-1) === 'delivered' && !id.includes('.')) taken += 1;
    }
    // A spawned agent remembers words of its earlier runs.
    const texts = textsIn(messages).filter((text) => isSteerText(text) && !this.#taken.has(text));
    for (const text of texts) this.#taken.add(text);
    this.#steersOf.delete(task.id);
    if (texts.length !== taken || new Set(texts).size !== taken) {
      this.#fault(`M2: ${task.id} took ${taken} steers and heard ${texts.join(', ') || 'none'}`);
    }
  }

  /** Every end that came before the run's last turn was heard of: by a wait, or as a message, once. */
  answered(task: SeenTask, messages: readonly Message[]): void {
    const ended = task.endedBelow.filter((each) => each.task.goal.startsWith('background'));
    if (ended.length === 0) return;
    const texts = textsIn(messages);
    const results = resultsIn(messages);
    for (const { task: below, seq } of ended) {
      const head = `[Background task ${below.id} ended`;
      const notices = texts.filter((text) => text.startsWith(head)).length;
      const waits = results.filter((text) => text.startsWith(`heard of ${below.id}:`)).length;
      if (notices > 1) this.#fault(`X5: ${task.id} was told ${notices} times of ${below.id}`);
      // One that a limit refused was never in the background: its start said so.
      const wasRefused = !below.hasStarted;
      const isExcused = wasRefused || this.#interrupted.has(task.id);
      if (seq < task.lastTurnSeq && notices + waits === 0 && !isExcused) {
        this.#fault(`X5: ${task.id} never heard of ${below.id}`);
      }
    }
  }
}

function isSteerText(text: string): boolean {
  return text.startsWith('word ');
}

function textsIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ role, content }) =>
    role === 'user' ? content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) : [],
  );
}

function resultsIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_result' ? [String(block.content)] : [])),
  );
}
