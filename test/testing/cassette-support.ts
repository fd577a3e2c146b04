// Shared arrangements of the cassette tests: requests of workers, and cassettes recorded against a script. Starts no test.
import { join } from 'node:path';
import type { Model, ModelRequest } from '#src/models/model.js';
import { recorded, type Script, scripted } from '#src/testing.js';
import { modelCall, request } from '../models/support.ts';
import { folderWith } from '../support/command.ts';

export function says(text: string): Partial<ModelRequest> {
  return { messages: [{ role: 'user', content: [{ type: 'text', text }] }] };
}

export function worker(at: number, text: string, rest: Partial<ModelRequest> = {}): ModelRequest {
  const path = at === 1 ? '/worker' : `/worker-${at}`;
  return request({ ...says(text), ...rest, agent: { id: `a-${at}`, name: 'worker', path } });
}

/** Records these requests, one after another, against a script. */
export async function cassette(script: Script, requests: readonly ModelRequest[]): Promise<string> {
  const file = join(folderWith(), 'one.jsonl');
  const model = recorded(scripted(script), { file });
  for (const each of requests) await model.respond(each, modelCall()).catch(() => {});
  return file;
}

export async function textOf(model: Model, asked: ModelRequest): Promise<unknown> {
  const { content } = await model.respond(asked, modelCall());
  return content[0];
}

export const twoWorkers = () =>
  cassette({ default: [{ text: 'one' }, { text: 'two' }] }, [
    worker(1, 'a'),
    worker(1, 'a more', { turn: 2 }),
    worker(2, 'b'),
    worker(2, 'b more', { turn: 2 }),
  ]);
