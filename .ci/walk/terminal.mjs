// Owns a terminal in which commands are run and looked at: what its screen shows, and when. Needs `script` of util-linux.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import headless from '@xterm/headless';

const leastGapMs = 80;

/** One row of the screen as runs of cells of one style. */
function rowOf(line, columns) {
  const runs = [];
  for (let x = 0; line !== undefined && x < columns; x += 1) {
    const cell = line.getCell(x);
    const text = cell.getWidth() === 0 ? '' : cell.getChars() || ' ';
    const style = [
      cell.isFgPalette() ? `c${cell.getFgColor()}` : '',
      cell.isBold() ? 'b' : '',
      cell.isDim() ? 'd' : '',
    ].join('');
    const last = runs.at(-1);
    if (last?.style === style) last.text += text;
    else runs.push({ x, style, text });
  }
  return runs
    .filter(({ text }) => text.trim() !== '')
    .map((run) => ({ ...run, text: run.text.trimEnd() }));
}

export class Terminal {
  #terminal;
  #size;
  #frames = [];
  #pausedMs = 0;
  #begin = performance.now();

  constructor(size) {
    this.#size = size;
    this.#terminal = new headless.Terminal({
      ...size,
      cols: size.columns,
      allowProposedApi: true,
      convertEol: true,
    });
  }

  /** The screens that were seen, each with the time that it came, in ms; the last one is as the commands left it. */
  get frames() {
    return this.#frames;
  }

  /** All that was shown and stayed, as text: what scrolled away included. */
  text() {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: active.length }, (_, y) =>
      active.getLine(y).translateToString(true),
    )
      .join('\n')
      .trimEnd();
  }

  async write(data) {
    await new Promise((resolve) => this.#terminal.write(data, resolve));
    this.#look();
  }

  /** The reader's time, which is not waited for. */
  pause(ms) {
    this.#look(true);
    this.#pausedMs += ms;
  }

  /** Runs a line of the shell on a terminal of this size; rejects when it fails. */
  async run(line, { cwd, env }) {
    const { columns, rows } = this.#size;
    const child = spawn(
      'script',
      ['-qefc', `stty cols ${columns} rows ${rows}; ${line}`, '/dev/null'],
      {
        cwd,
        env,
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    const ended = once(child, 'close');
    for await (const data of child.stdout) await this.write(data);
    const [code] = await ended;
    if (code !== 0) throw new Error(`${line}: exit code ${code}\n${this.text()}`);
  }

  #look(isLast = false) {
    const atMs = performance.now() - this.#begin + this.#pausedMs;
    const last = this.#frames.at(-1);
    // What is drawn and drawn over within a moment is not seen.
    const isNew = last === undefined || isLast || atMs - last.atMs >= leastGapMs;
    const { active } = this.#terminal.buffer;
    const { columns, rows } = this.#size;
    const screen = Array.from({ length: rows }, (_, y) =>
      rowOf(active.getLine(active.viewportY + y), columns),
    );
    if (isNew) this.#frames.push({ atMs, screen });
    else last.screen = screen;
  }
}
