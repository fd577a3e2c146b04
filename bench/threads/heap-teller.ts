// Preloaded in a thread: tells whoever asks how much its heap holds once the garbage is gone.
import { threadId } from 'node:worker_threads';
import { heapNow } from '../heap.ts';

const channel = new BroadcastChannel('troupe-bench-heap');
channel.onmessage = async (event) => {
  if ((event as { readonly data: unknown }).data !== 'how much?') return;
  channel.postMessage({ threadId, bytes: await heapNow() });
};
channel.unref();
