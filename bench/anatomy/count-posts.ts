// Owns the count of what one thread posts to another. Its text is evaluated in every thread, so it refers to nothing around it.

import type { Transferable } from 'node:worker_threads';

/** What was posted so far, by name. */
export type Tally = Record<string, number>;

/**
 * Counts what this thread posts from now on: `messages host to agent`, `bytes host to agent`, and by type
 * `type host to agent: start`. What a batch is made of counts besides, as `batch.event`.
 */
export function countPosts(): Tally {
  const threads = process.getBuiltinModule('node:worker_threads');
  const { MessagePort, Worker, isMainThread } = threads;
  const { serialize } = process.getBuiltinModule('node:v8');
  const tally: Tally = {};
  /** A worker posts by a port of its own. */
  let isToWorker = false;
  /** By which a thread of agents is online. */
  let hostPort: unknown = null;

  function count(name: string, amount: number): void {
    tally[name] = (tally[name] ?? 0) + amount;
  }

  function directionOf(port: unknown): string {
    if (isMainThread) return isToWorker ? 'host to gateway' : 'host to agent';
    // Both are there only once the thread has begun.
    const { parentPort, workerData } = threads;
    if (workerData?.role === 'gateway') {
      return port === parentPort ? 'gateway to host' : 'gateway to agent';
    }
    return port === hostPort ? 'agent to host' : 'agent to gateway';
  }

  function typesOf(message: unknown): readonly string[] {
    const { type, items = [] } = Object(message);
    const parts: readonly unknown[] = Array.isArray(items) ? items : [];
    const partTypes = parts.map((part) =>
      typeof part === 'number' ? 'processed' : Object(part).t,
    );
    return [String(type), ...partTypes.map((part) => `${type}.${part}`)];
  }

  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function counted(
    message: unknown,
    transferred: readonly Transferable[] = [],
  ): void {
    if (Object(message).type === 'online') hostPort = this;
    const direction = directionOf(this);
    count(`messages ${direction}`, 1);
    // What is transferred cannot be serialized; that crosses once in the life of a thread.
    if (transferred.length === 0) count(`bytes ${direction}`, serialize(message).length);
    for (const type of typesOf(message)) count(`type ${direction}: ${type}`, 1);
    post.call(this, message, transferred);
  };

  const postToWorker = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function marked(
    message: unknown,
    transferred: readonly Transferable[] = [],
  ): void {
    isToWorker = true;
    try {
      postToWorker.call(this, message, transferred);
    } finally {
      isToWorker = false;
    }
  };
  return tally;
}
