// Owns the `terminal` toolset: a shell session per agent, on the host, that ends with its agent.
import type { Clock } from '../../base/clock.ts';
import { TroupeError, unreachable } from '../../base/failures.ts';
import { defineTool } from '../define-tool.ts';
import type { HostToolset, OpenToolset } from '../host-toolset.ts';
import { selfTimedTag } from '../tags.ts';
import type { AnyTool, ToolContext } from '../tool.ts';
import { flag, objectSchema, optional, text, whole } from './object-schema.ts';
import { BackgroundCommands } from './terminal/background-commands.ts';
import { ShellSession } from './terminal/session.ts';
import type { CommandEnd, CommandResult } from './terminal/shell.ts';

const usualTimeoutMs = 120_000;
const maxTimeoutMs = 3_600_000;

export type TerminalOptions = {
  readonly clock: Clock;
  /** The whole environment of the shells: nothing of the service's own is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Called once, with the reason, where the system does not hide the service's environment from the commands. */
  readonly warn: (message: string) => void;
};

const exposed =
  'commands of the terminal can read the environment of this process, keys included; the system does not let it be hidden';

const input = objectSchema({
  command: optional(text('Command line for the shell.')),
  timeoutMs: optional(
    whole(`Milliseconds after which it is killed. Default: ${usualTimeoutMs}.`, 1, maxTimeoutMs),
  ),
  background: optional(
    flag('Starts the command beside the shell, in the workspace, and answers at once with an id.'),
  ),
  waitFor: optional(text('Id of a command in the background: waits for its end.')),
  restart: optional(flag('Ends the shell and all it started; the next command gets a new one.')),
});

/**
 * The toolset. A shell starts with the first command, in a process group of its own and with a scrubbed environment, and
 * is killed with all it started when the run is interrupted, the call times out, or the agent ends in whatever way.
 * A command in the background has a shell of its own; its end becomes a notice in the run's conversation (C36).
 * It ends with the service too, however that ends. What leaves its group by `setsid` is not followed.
 */
export function terminalToolset({ clock, env, graceMs, warn }: TerminalOptions): HostToolset {
  let isExposed = false;
  const onExposed = (reason: string): void => {
    if (isExposed) return;
    isExposed = true;
    warn(`${exposed}: ${reason}`);
  };
  const toolFor = (session: ShellSession | null): AnyTool => {
    const aside = session === null ? null : new BackgroundCommands(session);
    return defineTool({
      name: 'terminal',
      description:
        'Runs a command in a shell that starts in the workspace. Folder, variables and background processes stay from ' +
        'call to call. Answers output and errors as one text, and the exit code unless it is 0. There is no input: a ' +
        'command that asks for some reads its end. A command that takes too long is killed together with the shell. ' +
        'With background you are told when the command ends; it ends with you, so wait for it (waitFor) if you need it.',
      input,
      tags: ['terminal', 'process', selfTimedTag],
      async run({ command, timeoutMs, restart = false, background = false, waitFor }, tool) {
        if (session === null || aside === null) {
          throw new TroupeError('internal', 'a shell was used unopened');
        }
        if (waitFor !== undefined) {
          return waitForEnd(aside, waitFor, {
            clock,
            timeoutMs: timeoutMs ?? usualTimeoutMs,
            tool,
          });
        }
        if (restart) session.restart();
        if (command === undefined) {
          if (restart) return 'the shell was ended; the next command starts a new one';
          throw new TroupeError('tool_arguments_invalid', 'command is missing');
        }
        if (command.includes('\0')) {
          throw new TroupeError('tool_arguments_invalid', 'command must hold no NUL byte');
        }
        const limitMs = timeoutMs ?? (background ? maxTimeoutMs : usualTimeoutMs);
        const textOf = ({ text: output, end }: CommandResult): string =>
          [output.trimEnd(), endNotice(end, limitMs)].filter((part) => part !== '').join('\n');
        if (background) {
          const notify = (notice: string): Promise<boolean> => tool.background.notify(notice);
          const id = aside.start({ command, timeoutMs: limitMs, textOf, notify });
          return `${id} runs in the background; you are told when it ends`;
        }
        const { signal } = tool;
        const onOutput = (): void => tool.heartbeat();
        return textOf(await session.run({ command, timeoutMs: limitMs, signal, onOutput }));
      },
    });
  };
  return {
    name: 'terminal',
    description: 'Run commands in a shell that keeps its folder and variables.',
    tools: [toolFor(null)],
    open({ workspace }): OpenToolset {
      const session = new ShellSession({ cwd: workspace, env, clock, graceMs, onExposed });
      return { tools: [toolFor(session)], close: (options) => session.close(options) };
    },
  };
}

/** The end of a command in the background, or that it runs on. */
async function waitForEnd(
  commands: BackgroundCommands,
  id: string,
  {
    clock,
    timeoutMs,
    tool,
  }: { readonly clock: Clock; readonly timeoutMs: number; readonly tool: ToolContext },
): Promise<string> {
  let cancel = (): void => {};
  const overdue = new Promise<null>((resolve) => {
    cancel = clock.after(timeoutMs, () => resolve(null));
  });
  const onOutput = (): void => tool.heartbeat();
  try {
    const text = await commands.wait(id, { overdue, signal: tool.signal, onOutput });
    return text ?? `[${id} still runs after ${timeoutMs} ms; you are told when it ends]`;
  } finally {
    cancel();
  }
}

function endNotice(end: CommandEnd, timeoutMs: number): string {
  const anew = 'the next command starts a new shell in the workspace';
  switch (end.type) {
    case 'exited':
      return end.status === 0 ? '' : `[exit code ${end.status}]`;
    case 'shell_exited':
      return `[the shell ended: ${end.status}; ${anew}]`;
    case 'timed_out':
      return `[killed after ${timeoutMs} ms, and the shell with it; ${anew}]`;
    case 'flooded':
      return `[killed for too much output, and the shell with it; ${anew}]`;
    default:
      return unreachable(end);
  }
}
