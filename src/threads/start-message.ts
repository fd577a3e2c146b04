// Owns the message that starts an activation on its slot: what is each activation's own, and what its thread has already.
import type { HostedCell } from '../actor/host.ts';
import type { ToThread } from '../protocol/worker-messages.ts';
import type { ActivationOptions, ModelConnection } from './activation-options.ts';
import { notForModels } from './thread-failure.ts';
import type { WorkerSlot } from './worker-slot.ts';

export type StartFacts = {
  readonly activation: number;
  readonly cell: HostedCell;
  readonly launch: ActivationOptions;
  readonly model: ModelConnection;
  readonly controls: readonly unknown[];
};

type Start = Omit<Extract<ToThread, { type: 'start' }>, 'mail'>;

/** The start without its mail; what the thread keeps for all its activations goes ahead of it. */
export function startMessage(
  slot: WorkerSlot,
  { activation, cell, launch, model, controls }: StartFacts,
): Start {
  if (model.route === 'gateway' && slot.gatewayGeneration !== model.generation) {
    const port = model.connect(() => slot.violated(notForModels));
    slot.post({ type: 'gateway', port }, [port]);
    slot.gatewayGeneration = model.generation;
  }
  const { shared } = launch;
  return {
    type: 'start',
    activation,
    token: model.route === 'none' ? '' : model.token,
    address: cell.address,
    incarnation: cell.incarnation,
    snapshot: cell.snapshot,
    kept: cell.kept,
    controls,
    target: launch.target,
    args: launch.args(),
    shared: shared === undefined ? null : slot.share(shared),
    modelRoute: model.route,
  };
}
