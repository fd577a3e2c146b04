// Owns the persistent agents of a journal: what each is made of, what all its runs used, and its memory, one row per message.
import type { JournalRecord, Kept, KeptAgent } from './records.ts';
import { columns, type Statements, sumOf, textOf } from './statements.ts';

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
        this.#statements.of(sql).run(name, at, spec, sumOf(spec, name));
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

  /** An agent that is kept, with its messages where they are wanted: they are checked all the same. Null for any other. */
  load(name: string, isWhole = true): Kept<KeptAgent> | null {
    const about = columns(['spec', 'used'], ['spec_sum', 'used_sum', 'first']);
    const row = this.#statements.of(`SELECT ${about} FROM agents WHERE name = ?`).get(name);
    if (row === undefined) return null;
    const { spec_sum: specSum, used_sum: usedSum, first } = row;
    const spec = textOf(row['spec']) ?? '';
    const used = textOf(row['used']);
    if (sumOf(spec, name) !== Number(specSum)) return damaged('what it is made of');
    if (used !== null && sumOf(used, name, Number(first)) !== Number(usedSum))
      return damaged('what it used');
    const messages: string[] = [];
    let expected = Number(first);
    const memory = columns(['message'], ['seq', 'sum']);
    const sql = `SELECT ${memory} FROM memories WHERE agent = ? ORDER BY seq`;
    for (const { seq, message, sum } of this.#statements.of(sql).iterate(name)) {
      const text = textOf(message) ?? '';
      if (Number(seq) !== expected || sumOf(text, name, expected) !== Number(sum)) {
        return damaged(`message ${expected} of its memory`);
      }
      expected += 1;
      if (isWhole) messages.push(text);
    }
    const isLeftOut = !isWhole && expected > Number(first);
    const value = { spec, used, first: Number(first), messages: isLeftOut ? null : messages };
    return { isDamaged: false, value };
  }

  /** Everything that is wrong with them. */
  *problems(): Iterable<string> {
    const sql = `SELECT ${columns(['name'])} FROM agents`;
    for (const row of this.#statements.of(sql).iterate()) {
      const name = textOf(row['name']) ?? '';
      const kept = this.load(name);
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
      this.#statements.of(add).run(name, from + at, message, sumOf(message, name, from + at));
    }
    const update = 'UPDATE agents SET used = ?, used_sum = ?, first = ? WHERE name = ?';
    this.#statements.of(update).run(used, sumOf(used, name, first), first, name);
  }
}

function damaged(what: string): Kept<never> {
  return { isDamaged: true, why: `${what} cannot be read` };
}
