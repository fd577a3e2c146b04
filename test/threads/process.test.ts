// Checks what a program with actors keeps alive: nothing when it is idle, everything it waits for otherwise.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { fixture, patienceMs } from '../support/systems.ts';

const run = promisify(execFile);

/** What a program wrote until it ended by itself; one that hangs is killed and rejects. */
async function outputOf(what: string): Promise<string> {
  const program = fileURLToPath(fixture('idle-program'));
  const { stdout } = await run(process.execPath, [program, what], { timeout: patienceMs });
  return stdout;
}

describe('a program', () => {
  it('ends by itself when its actors are idle, warm threads and paused mail or not (V6)', async () => {
    expect(await outputOf('idle')).toBe('idle');
  });

  it('stays for an ask that is not answered yet (V6)', async () => {
    expect(await outputOf('ask')).toBe('answered');
  });

  it('stays for a receive in hand (V6)', async () => {
    expect(await outputOf('receive')).toBe('done');
  });

  it('ends after close() (V6)', async () => {
    expect(await outputOf('closed')).toBe('closed');
  });
});
