// The entry of a process that counts with one meter on one checkout: what its parent asks, one after another.
import { allocationMeter } from './allocation-meter.ts';
import { libraryOf, loadCheckout } from './checkout.ts';
import { costOf, warmUp } from './cost.ts';
import { cpuMeter } from './cpu-meter.ts';
import type { Figures } from './figures.ts';
import { functionMeter } from './function-meter.ts';
import { messageMeter } from './message-meter.ts';
import type { Meter, MeterName } from './meter.ts';
import { type Subject, type SubjectName, subjects } from './subjects.ts';

/** What the parent asks. `open` makes a thing ready and does it `count` times; `cost` counts it; `close` ends it. */
export type ProbeRequest =
  | { readonly type: 'open'; readonly subject: SubjectName; readonly count: number }
  | { readonly type: 'cost'; readonly count: number }
  | { readonly type: 'close' };

export type ProbeAnswer =
  | { readonly type: 'figures'; readonly figures: Figures }
  | { readonly type: 'failed'; readonly message: string };

const [root = '', meterName = ''] = process.argv.slice(2);
// Before the library is loaded, so that nothing of it escapes the meter.
const meter = await openMeter(meterName as MeterName);
const checkout = await loadCheckout(root);
let subject: Subject | null = null;
let answered = Promise.resolve();

process.on('message', (request: ProbeRequest) => {
  answered = answered.then(async () => {
    process.send?.(await answer(request));
  });
});

async function answer(request: ProbeRequest): Promise<ProbeAnswer> {
  try {
    return { type: 'figures', figures: await perform(request) };
  } catch (cause) {
    process.stderr.write(`${cause instanceof Error ? cause.stack : cause}\n`);
    return { type: 'failed', message: cause instanceof Error ? cause.message : String(cause) };
  }
}

async function perform(request: ProbeRequest): Promise<Figures> {
  switch (request.type) {
    case 'open':
      subject = await subjects[request.subject](checkout);
      await warmUp(subject, request.count);
      return {};
    case 'cost':
      if (subject === null) throw new Error('nothing is open');
      return costOf(subject, meter, request.count);
    case 'close':
      await subject?.[Symbol.asyncDispose]();
      subject = null;
      return {};
    default:
      return request satisfies never;
  }
}

function openMeter(name: MeterName): Promise<Meter> {
  switch (name) {
    case 'messages':
      return messageMeter();
    case 'functions':
      return functionMeter(libraryOf(root));
    case 'allocations':
      return allocationMeter();
    case 'cpu':
      return cpuMeter();
    default:
      return name satisfies never;
  }
}
