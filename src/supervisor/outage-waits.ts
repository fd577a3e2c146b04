// Owns which agents have calls that wait in a gateway for a provider that is down: none does once the gateway is lost.

export class OutageWaits {
  readonly #onOutageWait: (agentId: string, isWaiting: boolean) => void;
  readonly #agents = new Set<string>();

  constructor(onOutageWait: (agentId: string, isWaiting: boolean) => void) {
    this.#onOutageWait = onOutageWait;
  }

  report(agentId: string, isWaiting: boolean): void {
    if (isWaiting) this.#agents.add(agentId);
    else this.#agents.delete(agentId);
    this.#onOutageWait(agentId, isWaiting);
  }

  releaseAll(): void {
    for (const agentId of [...this.#agents]) this.report(agentId, false);
  }
}
