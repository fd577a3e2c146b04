// Owns the persistent agents of a journal: what each is made of, what all its runs used, and its memory, one row per message.
import type { JournalRecord, Kept, KeptAgent } from './records.ts';
import { type Statements, sumOf } from './statements.ts';

type AgentRecord = Extract<
  JournalRecord,
  { readonly type: 'agent_spawned' | 'agent_remembered' | 'agent_ended' }
>;

export class StoredAgents {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  write(record: AgentRecord): void {
    const { name } = record;
    switch (record.type) {
      case 'agent_spawned': {
        const { at, spec } = record;
        const sql = `INSERT INTO agents (name, spawned_at, spec, spec_sum, first) VALUES (?, ?, ?, ?, 1)
          ON CONFLICT (name) DO UPDATE SET spec = excluded.spec, spec_sum = excluded.spec_sum`;
        this.#statements.of(sql).run(name, at, spec, sumOf(spec));
        return;
      }
      case 'agent_remembered':
        this.#remember(record);
        return;
      case 'agent_ended':
        this.#statements.of('DELETE FROM memories WHERE agent = ?').run(name);
        this.#statements.of('DELETE FROM agents WHERE name = ?').run(name);
        return;
    }
  }

  /** An agent that is kept, with its memory; null for any other. */
  load(name: string): Kept<KeptAgent> | null {
    const row = this.#statements.of('SELECT * FROM agents WHERE name = ?').get(name);
    if (row === undefined) return null;
    const { spec, spec_sum: specSum, used, used_sum: usedSum, first } = row;
    if (sumOf(String(spec)) !== Number(specSum)) return damaged('what it is made of');
    if (used !== null && sumOf(String(used)) !== Number(usedSum)) return damaged('what it used');
    const messages: string[] = [];
    const sql = 'SELECT seq, message, sum FROM memories WHERE agent = ? ORDER BY seq';
    for (const { seq, message, sum } of this.#statements.of(sql).iterate(name)) {
      const expected = Number(first) + messages.length;
      const text = String(message);
      if (Number(seq) !== expected || sumOf(text) !== Number(sum)) {
        return damaged(`message ${expected} of its memory`);
      }
      messages.push(text);
    }
    const value: KeptAgent = {
      spec: String(spec),
      used: used === null ? null : String(used),
      first: Number(first),
      messages,
    };
    return { isDamaged: false, value };
  }

  /** Everything that is wrong with them. */
  *problems(): Iterable<string> {
    for (const { name } of this.#statements.of('SELECT name FROM agents').iterate()) {
      const kept = this.load(String(name));
      if (kept?.isDamaged === true) yield `agent ${name}: ${kept.why}`;
    }
  }

  #remember({
    name,
    used,
    first,
    from,
    messages,
  }: Extract<AgentRecord, { readonly type: 'agent_remembered' }>): void {
    const forget = 'DELETE FROM memories WHERE agent = ? AND (seq < ? OR seq >= ?)';
    this.#statements.of(forget).run(name, first, from);
    const add = 'INSERT INTO memories (agent, seq, message, sum) VALUES (?, ?, ?, ?)';
    for (const [at, message] of messages.entries()) {
      this.#statements.of(add).run(name, from + at, message, sumOf(message));
    }
    const update = 'UPDATE agents SET used = ?, used_sum = ?, first = ? WHERE name = ?';
    this.#statements.of(update).run(used, sumOf(used), first, name);
  }
}

function damaged(what: string): Kept<never> {
  return { isDamaged: true, why: `${what} cannot be read` };
}
