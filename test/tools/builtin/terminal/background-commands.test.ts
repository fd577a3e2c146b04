// Proves that the end of a command in the background reaches the calls that wait, else the agent, once (C36).
import { describe, expect, it } from 'vitest';
import { TroupeError } from '#src/base/failures.js';
import { BackgroundCommands } from '#src/tools/builtin/terminal/background-commands.js';
import type { ShellSession } from '#src/tools/builtin/terminal/session.js';
import type { CommandResult } from '#src/tools/builtin/terminal/shell.js';

/** One command that runs until it is let go; `notices` are the messages that the agent receives about it. */
function running() {
  let end = (): void => {};
  const result = new Promise<CommandResult>((resolve) => {
    end = () => resolve({} as CommandResult);
  });
  const session: Pick<ShellSession, 'aside'> = { aside: () => result };
  const commands = new BackgroundCommands(session as ShellSession);
  const notices: string[] = [];
  const id = commands.start({
    command: 'make',
    timeoutMs: 1,
    textOf: () => 'made',
    notify: async (text) => notices.push(text),
  });
  const wait = (signal: AbortSignal, overdue: Promise<null> = new Promise(() => {})) =>
    commands.wait(id, { overdue, signal, onOutput: () => {} });
  return { end: () => end(), notices, wait };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const givenUp = new TroupeError('interrupted', 'given up');
const { signal: patient } = new AbortController();

describe('the end of a command in the background', () => {
  it('is a notice to the agent, or the answer of the calls that wait (C36)', async () => {
    const unawaited = running();
    unawaited.end();
    await turn();
    expect(unawaited.notices).toEqual(['[Background command b1 ended]\n$ make\n\nmade']);

    const awaited = running();
    const answers = [awaited.wait(patient), awaited.wait(patient)];
    awaited.end();
    expect(await Promise.all(answers)).toEqual(['made', 'made']);
    await turn();
    expect(awaited.notices).toEqual([]);
  });

  it('is a notice when the call that would wait has given up already (C36, S5)', async () => {
    const { end, notices, wait } = running();

    await expect(wait(AbortSignal.abort(givenUp))).rejects.toBe(givenUp);
    end();
    await turn();

    expect(notices).toHaveLength(1);
  });

  it.each(['aborted', 'overdue'])(
    'is reported once when it comes as a wait is %s (C36)',
    async (how) => {
      const { end, notices, wait } = running();
      const abort = new AbortController();
      let pass = (): void => {};
      const overdue = new Promise<null>((resolve) => {
        pass = () => resolve(null);
      });
      const waits = Promise.allSettled([wait(abort.signal, overdue)]);

      end();
      if (how === 'aborted') abort.abort(givenUp);
      else pass();
      const answers = (await waits).flatMap((each) =>
        each.status === 'fulfilled' && each.value !== null ? [each.value] : [],
      );
      await turn();

      expect([...answers, ...notices]).toHaveLength(1);
    },
  );
});
