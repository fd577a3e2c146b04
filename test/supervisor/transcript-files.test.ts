// Checks live transcripts: files that grow with their runs at every depth, and what a disk that fails costs.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { delegate, tree as family } from './family.ts';
import { supervise, superviseInManualTime, turns, within } from './support.ts';

const folders: string[] = [];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'troupe-transcripts-'));
  folders.push(path);
  return path;
}

afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

function linesOf(path: string): readonly unknown[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

describe('live transcripts', () => {
  it('hold every message of every task of a tree of depth 2, once and in order (C47)', async () => {
    const directory = join(folder(), 'deep', 'transcripts');
    const { script, agents } = family(2, 2);
    const { supervisor, watch } = supervise(script, {
      tools: [delegate],
      agents,
      limits: { maxSpawnDepth: 2 },
      transcripts: { directory },
    });

    await within(supervisor.delegate({ goal: 'a', agent: 'level0' }), 'the outcome');
    await within(supervisor.close(), 'close');

    const tasks = watch.of('task_completed').map(({ outcome }) => outcome.taskId);
    expect(tasks).toHaveLength(7);
    expect(readdirSync(directory).sort()).toEqual(tasks.map((id) => `${id}.jsonl`).sort());
    for (const id of tasks) {
      expect(linesOf(join(directory, `${id}.jsonl`))).toEqual(supervisor.transcript(id));
    }
  });

  it('can be read while the run goes on (C47)', async () => {
    const directory = folder();
    const { supervisor, watch } = superviseInManualTime(
      { default: [{ hang: true }] },
      { transcripts: { directory } },
    );
    const handle = supervisor.start({ goal: 'Look.' });
    await watch.next('turn_started');

    const path = join(directory, `${handle.id}.jsonl`);
    const read = async (): Promise<readonly unknown[]> => {
      while (!readdirSync(directory).includes(`${handle.id}.jsonl`)) await turns(1);
      while (linesOf(path).length === 0) await turns(1);
      return linesOf(path);
    };

    expect(await within(read(), 'the first line')).toMatchObject([{ role: 'user' }]);
    expect(handle.status()).toBe('waiting');
  });

  it('leave alone what an earlier process wrote (C47)', async () => {
    const directory = folder();
    writeFileSync(join(directory, 't1.jsonl'), 'old\n');
    const { supervisor } = supervise(
      { default: [{ text: 'done' }] },
      { transcripts: { directory } },
    );

    await within(supervisor.delegate({ goal: 'a' }), 'the outcome');
    await within(supervisor.close(), 'close');

    expect(readFileSync(join(directory, 't1.jsonl'), 'utf8')).toBe('old\n');
    expect(linesOf(join(directory, 't1-2.jsonl'))).toHaveLength(2);
  });

  it('that cannot be written are told once a task, and cost the run nothing (C47)', async () => {
    const directory = join(folder(), 'file');
    writeFileSync(directory, '');
    const { supervisor, watch } = supervise(
      { default: [{ text: 'done' }] },
      { transcripts: { directory } },
    );

    const outcome = await within(supervisor.delegate({ goal: 'a' }), 'the outcome');
    await within(supervisor.close(), 'close');

    expect(outcome.status).toBe('completed');
    expect(watch.of('log')).toMatchObject([
      { level: 'error', failure: { code: 'log_file_failed' } },
    ]);
  });
});
