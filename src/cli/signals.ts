// Owns Ctrl-C, a closed terminal and `kill`: the first signal is an interrupt, the second the end. The one place that
// listens to signals of the process.

const handled = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export type SignalReactions = {
  /** The first one: the job is to end, keeping what it has. */
  onFirst(): void;
  /** One more: the process is to end, now. */
  onSecond(): void;
};

/** Listens until the returned function is called. */
export function listenToSignals(process: NodeJS.Process, reactions: SignalReactions): () => void {
  let count = 0;
  const onSignal = (): void => {
    count += 1;
    if (count === 1) reactions.onFirst();
    else reactions.onSecond();
  };
  for (const signal of handled) process.on(signal, onSignal);
  return () => {
    for (const signal of handled) process.off(signal, onSignal);
  };
}
