// Proves that a program's compiler reads our types: every entry point, in each way of resolving modules, by an old and a new
// TypeScript; and that an editor completes names.
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const examples = join(dirname(fileURLToPath(import.meta.url)), '..', 'examples', 'first-hour');
const modules = join(dirname(fileURLToPath(import.meta.url)), '..', 'node_modules');

/** Its first lines are right, and each line that expects an error has one: a type that is `any` fails the last. */
const program = `
import { createSupervisor, defineAgent, type Outcome, type Session } from 'troupe';
import { type ActorRef, createActorSystem } from 'troupe/actor';
import { behavior } from 'troupe/behavior';
import { agentTools, taskTool } from 'troupe/claude-code';
import { delegateTaskTool } from 'troupe/delegate-task';
import { createMsg, ReActAgent } from 'troupe/agent-family';
import { ContextState, scopeRuntime, SubAgentScope } from 'troupe/scope';
import { subagentManager, subagentTools } from 'troupe/subagent-manager';
import { ManualClock, scripted } from 'troupe/testing';
import { defineTool } from 'troupe/tool';
import { z } from 'zod';

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a + b,
});
const supervisor = createSupervisor({ model: 'offline', tools: [add] });
const session: Session = supervisor.session('chat');
const boxes = [delegateTaskTool(), [taskTool(), ...agentTools()], subagentTools(session)].map((tools) => session.tools(tools));
const outcome: Outcome<{ sum: number }> = await supervisor.delegate({
  goal: 'Add.',
  outputSchema: z.object({ sum: z.number() }),
});
const sum: number | undefined = outcome.structured?.sum;
const names: readonly string[] = subagentManager(session).agents().map(({ name }) => name);
const scope = await SubAgentScope.create('s', scopeRuntime(session), { systemPrompt: 'p' }, { model: 'offline' }, { max_time_minutes: 1 });
await scope.runNonInteractive(new ContextState());
export type Ref = ActorRef<string>;
export const used = [boxes, sum, names, createActorSystem, behavior, createMsg, ReActAgent, ManualClock, scripted, defineAgent];

// @ts-expect-error a task has a goal
void supervisor.delegate({ gaol: 'a' });
// @ts-expect-error a number is no text
const text: string = outcome.turns;
export { text };
`;

/** The programs of the first hour are right in TypeScript as they stand, with the types of a browser beside those of Node too. */
const firstHour = ['service', 'batch', 'assistant'];

const ways = [
  { module: 'node16', moduleResolution: 'node16' },
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
  { module: 'nodenext', moduleResolution: 'nodenext', hasDom: true },
];
/** The oldest that we support, installed beside the package, and the one of the repository. */
export const oldest = 'typescript@5.9.3';
const compilers = (folder) => [
  join(folder, 'node_modules', 'typescript'),
  join(modules, 'typescript'),
];

/** Compiles the program in a folder that has the package, zod and the oldest compiler; returns what each compiler printed. */
export function typeFaults(folder) {
  writeFileSync(join(folder, 'types.mts'), program);
  for (const name of firstHour) {
    copyFileSync(join(examples, `${name}.js`), join(folder, `${name}.mts`));
  }
  return ways.flatMap(({ hasDom = false, ...way }) =>
    compilers(folder).map((compiler) => {
      const options = {
        ...way,
        target: 'es2023',
        lib: ['es2023', 'esnext.disposable', ...(hasDom ? ['dom'] : [])],
        strict: true,
        noEmit: true,
      };
      const typeRoots = [join(modules, '@types')];
      const config = {
        compilerOptions: { ...options, typeRoots, types: ['node'] },
        files: ['types.mts', ...firstHour.map((name) => `${name}.mts`)],
      };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
      const tsc = join(compiler, 'bin', 'tsc');
      const { stdout, stderr, status } = spawnSync(process.execPath, [tsc, '-p', folder], {
        encoding: 'utf8',
      });
      return {
        settings: `TypeScript ${versionOf(compiler)}, ${way.moduleResolution}${hasDom ? ', dom' : ''}`,
        printed: `${stdout}${stderr}`.trim(),
        status,
      };
    }),
  );
}

/** Where an editor completes what; `|` is the cursor. */
const completed = [
  ["createSupervisor({ model: '|' })", ['offline', 'anthropic:claude-sonnet-5', 'openai:gpt-5']],
  ["createSupervisor({ model: ['offline', '|'] })", ['offline', 'anthropic:claude-sonnet-5']],
  ["defineAgent({ name: 'a', model: '|' })", ['offline', 'anthropic:claude-sonnet-5']],
  ["defineAgent({ name: 'a', toolsets: ['|'] })", ['file', 'todo', 'terminal', 'web']],
  ["supervisor.start({ goal: 'a', model: '|' })", ['offline', 'anthropic:claude-sonnet-5']],
  ["supervisor.delegate({ goal: 'a', toolsets: ['|'] })", ['file', 'todo', 'terminal', 'web']],
  ["delegateTaskTool({ toolsets: ['|'] })", ['file', 'todo', 'terminal', 'web']],
];

/** Asks the language service that editors use; returns each place with what it does not offer there. */
export function completionFaults(folder) {
  const ts = createRequire(join(folder, 'program.mjs'))('typescript');
  const path = join(folder, 'completions.mts');
  const head = `import { createSupervisor, defineAgent } from 'troupe';
import { delegateTaskTool } from 'troupe/delegate-task';
const supervisor = createSupervisor({ model: 'offline' });
`;
  let text = '';
  const options = { module: ts.ModuleKind.NodeNext, strict: true, types: [] };
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [path],
    getScriptVersion: () => text,
    getScriptSnapshot: (name) => {
      const found = name === path ? text : ts.sys.readFile(name);
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === path || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  return completed.flatMap(([line, wanted]) => {
    const cursor = head.length + line.indexOf('|');
    text = head + line.replace('|', '');
    const { entries = [] } = service.getCompletionsAtPosition(path, cursor, undefined) ?? {};
    const missing = wanted.filter((name) => !entries.some((entry) => entry.name === name));
    return missing.length === 0 ? [] : [`${line}: ${missing.join(', ')}`];
  });
}

function versionOf(compiler) {
  return JSON.parse(readFileSync(join(compiler, 'package.json'), 'utf8')).version;
}
