// Owns how the memory of a thread is looked at: how often, what is counted, and from which side.
import type { HeapInfo } from 'node:v8';
import { Worker } from 'node:worker_threads';

/** Milliseconds between two looks. */
export const lookMs = 100;

/**
 * From 22.16 on Node tells a host the heap of a thread, also while that spins. Before, the thread itself writes down what it uses,
 * whenever its event loop comes to it.
 */
export const canAskThreads = 'getHeapStatistics' in Worker.prototype;

const bytesPerMb = 2 ** 20;

/** What lives on the heap or was not collected yet, and Buffers, in MB. */
export function usedMb({ used_heap_size: heap, external_memory: outside }: UsedBytes): number {
  return Math.round((heap + outside) / bytesPerMb);
}

type UsedBytes = Pick<HeapInfo, 'used_heap_size' | 'external_memory'>;
