// Owns the message that starts a life on its seat: what is each life's own, and what its thread has already.
import type { HostedCell } from '../actor/host.ts';
import type { ModelLine, ThreadLaunch } from './activation-options.ts';
import type { ToThread } from './messages.ts';
import type { Seat } from './worker-slot.ts';

export type StartFacts = {
  readonly activation: number;
  readonly cell: HostedCell;
  readonly launch: ThreadLaunch;
  readonly model: ModelLine;
  readonly controls: readonly unknown[];
};

type Start = Omit<Extract<ToThread, { type: 'start' }>, 'mail'>;

/** The start without its mail; what the thread keeps for all its lives goes ahead of it. */
export function startMessage(
  seat: Seat,
  { activation, cell, launch, model, controls }: StartFacts,
): Start {
  if (model.route === 'gateway' && seat.gatewayGeneration !== model.generation) {
    const port = model.connect();
    seat.post({ type: 'gateway', port }, [port]);
    seat.gatewayGeneration = model.generation;
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
    shared: shared === undefined ? null : seat.share(shared),
    modelRoute: model.route,
  };
}
