// One agent per document of a folder, a budget for all of them; run again, it does what is not done. MODEL.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createSupervisor } from 'troupe';

const [folder = 'documents', results = 'results.jsonl'] = process.argv.slice(2);
const lines = existsSync(results) ? readFileSync(results, 'utf8').trim().split('\n') : [];
const done = new Set(lines.map((line) => JSON.parse(line).file));

async function* tasks() {
  for (const name of (await readdir(folder)).sort()) {
    const file = `${folder}/${name}`;
    if (done.has(file)) continue;
    yield { goal: `Read ${file} and sum it up.`, toolsets: ['file'], metadata: { file } };
  }
}

const supervisor = createSupervisor({ model: process.env['MODEL'] ?? 'offline' });
const options = { concurrency: 16, budget: { maxTokens: 2_000_000 }, retry: { attempts: 3 } };
let completed = 0;
for await (const { status, text, metadata } of supervisor.map(tasks(), options)) {
  if (status !== 'completed') continue;
  completed += 1;
  appendFileSync(results, `${JSON.stringify({ ...metadata, text })}\n`);
}
process.stdout.write(`${completed} done, ${done.size} were before\n`);
await supervisor.close();
