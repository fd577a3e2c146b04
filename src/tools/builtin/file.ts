// Owns the `file` toolset: list, read, grep and write, confined to the agent's workspace. Each tool has a file of its own.
import type { Toolset } from '../toolset.ts';
import { grepTool } from './grep.ts';
import { listTool } from './list.ts';
import { readTool } from './read.ts';
import { writeTool } from './write.ts';

/** The file tools. They run in the agent's own thread, with synchronous calls: no other agent waits for them. */
export const fileToolset: Toolset = {
  name: 'file',
  description: 'List, read, search and write the files of the workspace.',
  tools: [listTool, readTool, grepTool, writeTool],
};
