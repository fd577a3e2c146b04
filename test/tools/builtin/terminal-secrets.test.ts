// Proves that a shell's commands see no secret of the service in the environment of any process above it. Linux, like the tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { launchOf } from '#src/tools/builtin/terminal/launcher.js';
import { temporaryFolder } from '../../fixtures/tool-context.ts';

const secret = 'sk-ant-api03-the-services-own-key';
/** Every variable of every process above the shell that it can read, one a line. */
const readAncestors = `pid=$PPID
while [ "$pid" -gt 1 ]; do
  tr '\\0' '\\n' < /proc/$pid/environ
  pid=$(sed 's/.*) . //' /proc/$pid/stat | cut -d' ' -f1)
done`;

/** A service with a key in its environment, whose agent's model runs a command in the terminal and answers. */
async function commandInService(command: string, below: readonly string[] = []): Promise<string> {
  const folder = temporaryFolder();
  const program = join(folder, 'service.mjs');
  const index = new URL('../../../dist/src/index.js', import.meta.url).href;
  const testing = new URL('../../../dist/src/testing.js', import.meta.url).href;
  writeFileSync(
    program,
    `import { createSupervisor } from ${JSON.stringify(index)};
import { scripted } from ${JSON.stringify(testing)};
const input = { command: ${JSON.stringify(command)} };
const model = scripted({ default: [{ toolCalls: [{ name: 'terminal', input }] }, { text: 'done' }] });
const supervisor = createSupervisor({ model, workspace: ${JSON.stringify(folder)} });
supervisor.on('log', ({ message }) => console.log('LOG', message));
const task = { goal: 'run it', toolsets: ['terminal'] };
await supervisor.delegate([task, task]);
console.log(JSON.stringify(model.requests().at(-1).messages));
await supervisor.close();
`,
  );
  const [file = '', ...args] = [...below, process.execPath, program];
  const child = spawn(file, args, {
    env: { PATH: process.env['PATH'], ANTHROPIC_API_KEY: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(child, 'close');
  return text;
}

describe('the terminal', () => {
  it('shows its commands the environment of no process of the service (B31)', async () => {
    const seen = await commandInService(
      `cat /proc/$$/environ | tr '\\0' '\\n'; ${readAncestors}; echo LOOKED`,
    );

    // Its own environment can be read; no other above it.
    expect(seen).toContain('PATH=');
    expect(seen).toContain('Permission denied');
    expect(seen).toMatch(/LOOKED/);
    expect(seen).not.toContain(secret);
    expect(seen).not.toContain('LOG');
  });

  it('says once in a log event that the system hides no environment from its commands (B31)', async () => {
    // A process without this capability can take none away; one that is no root has it in a user namespace of its own.
    const isRoot = process.getuid?.() === 0;
    const asRoot = isRoot ? [] : ['/usr/bin/unshare', '--user', '--map-root-user'];
    const seen = await commandInService('echo DONE', [
      ...asRoot,
      ...['/usr/bin/setpriv', '--bounding-set=-setpcap', '--'],
    ]);

    expect(seen).toContain('DONE');
    expect(seen.match(/LOG commands of the terminal can read the environment.*: \S/g)).toHaveLength(
      1,
    );
  });

  it('runs below a process without secrets where the system hides none (B31)', async () => {
    // `--map-current-user` of a system that allows no user namespace fails like this one.
    const { file, args } = launchOf({ file: '/bin/sh', args: [] }, false);
    const refused = args.map((arg) => (arg.startsWith('/usr/bin/unshare') ? '/bin/false --' : arg));
    const child = spawn(file, refused, {
      env: { MARK: 'of the launcher' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.end('tr "\\0" "\\n" < /proc/$PPID/environ; exit 3\n');
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const [status] = await once(child, 'close');

    expect(Buffer.concat(chunks).toString()).toContain('MARK=of the launcher');
    expect(status).toBe(3);
  });
});
