// Preloaded in a thread: answers with how much its heap holds after a collection.
import { threadId } from 'node:worker_threads';
import { heapNow } from '../heap.ts';

const channel = new BroadcastChannel('troupe-bench-heap');
channel.onmessage = async (event) => {
  if ((event as { readonly data: unknown }).data !== 'how much?') return;
  channel.postMessage({ threadId, bytes: await heapNow() });
};
channel.unref();
