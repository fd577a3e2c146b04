// Owns a disk that fails when it is told to, below SQLite, and what is left on it after a power cut: what was synced, alone. Starts
// no test.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderWith } from '../support/command.ts';

const source = fileURLToPath(new URL('../fixtures/disk/disk.c', import.meta.url));

/** It is preloaded, and compiled where it is used. */
export const canFail =
  process.platform === 'linux' && spawnSync('cc', ['--version']).error === undefined;

export type DiskFailure = 'fsync EIO' | 'write EIO' | 'write ENOSPC' | 'write half' | 'lock EAGAIN';

/** The disk of a journal `troupe.db` in one folder. */
export class FailingDisk {
  readonly folder = folderWith();
  readonly #control = join(this.folder, 'control');
  readonly #log = join(this.folder, 'disk.log');
  readonly #library = join(this.folder, 'disk.so');

  constructor() {
    execFileSync('cc', ['-shared', '-fPIC', '-o', this.#library, source]);
  }

  /** Of a process whose journal is on it. */
  get env(): Readonly<Record<string, string>> {
    return { LD_PRELOAD: this.#library, DISK_CONTROL: this.#control, DISK_LOG: this.#log };
  }

  fail(how: DiskFailure): void {
    writeFileSync(this.#control, how);
  }

  work(): void {
    rmSync(this.#control);
  }

  /** Once its process is gone: what was written and not synced is lost, and what a failed sync was for. */
  cutPower(): void {
    const files = durableFiles(readFileSync(this.#log));
    for (const name of ['troupe.db', 'troupe.db-wal', 'troupe.db-journal', 'troupe.db-shm']) {
      const path = join(this.folder, name);
      const isThere = existsSync(path);
      rmSync(path, { force: true });
      const durable = files.get(name);
      if (isThere && durable !== undefined && name !== 'troupe.db-shm')
        writeFileSync(path, durable);
    }
  }
}

type Range = { readonly from: number; readonly to: number };

/** Bytes that grow at their end. */
class Content {
  #bytes = Buffer.alloc(65_536);
  size = 0;

  write(at: number, data: Uint8Array): void {
    const end = at + data.length;
    this.#reserve(end);
    this.#bytes.set(data, at);
    this.size = Math.max(this.size, end);
  }

  truncate(size: number): void {
    this.#reserve(size);
    this.#bytes.fill(0, size);
    this.size = size;
  }

  read(from = 0, to = this.size): Buffer {
    return this.#bytes.subarray(from, to);
  }

  #reserve(size: number): void {
    if (size <= this.#bytes.length) return;
    const larger = Buffer.alloc(size * 2);
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }
}

class ReplayedFile {
  readonly #now = new Content();
  readonly #durable = new Content();
  #unsynced: Range[] = [];

  write(at: number, data: Buffer): void {
    this.#now.write(at, data);
    this.#unsynced.push({ from: at, to: at + data.length });
  }

  truncate(size: number): void {
    this.#now.truncate(size);
  }

  sync(): void {
    for (const { from, to } of this.#unsynced) this.#durable.write(from, this.#now.read(from, to));
    this.#durable.truncate(this.#now.size);
    this.#unsynced = [];
  }

  /** The system takes what it could not write for written. */
  lose(): void {
    this.#unsynced = [];
  }

  get durable(): Buffer {
    return this.#durable.read();
  }
}

function durableFiles(log: Buffer): ReadonlyMap<string, Buffer> {
  const files = new Map<string, ReplayedFile>();
  for (let at = 0; at < log.length; ) {
    const end = log.indexOf('\n', at);
    if (end < 0) break;
    const [what, name = '', place, size] = log.toString('utf8', at, end).split(' ');
    at = end + 1;
    const file = files.get(name) ?? new ReplayedFile();
    files.set(name, file);
    if (what === 'sync') file.sync();
    else if (what === 'lose') file.lose();
    else if (what === 'truncate') file.truncate(Number(place));
    else if (what === 'write') {
      const data = log.subarray(at, at + Number(size));
      at += Number(size);
      // The process was killed while it said so.
      if (at <= log.length) file.write(Number(place), data);
    } else throw new Error(`the log of the disk has ${JSON.stringify(what)}`);
  }
  return new Map([...files].map(([name, file]) => [name, file.durable]));
}
