// Owns the `file` toolset: finding, reading and changing files, confined to the agent's workspace. Each tool has a file of its own.
import type { Toolset } from '../toolset.ts';
import { applyPatchTool } from './apply-patch.ts';
import { editTool } from './edit.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { listTool } from './list.ts';
import { readTool } from './read.ts';
import { writeTool } from './write.ts';

/** The file tools. They run in the agent's own thread, with synchronous calls: no other agent waits for them. */
export const fileToolset: Toolset = {
  name: 'file',
  description: 'List, find, read, search, edit and write the files of the workspace.',
  tools: [listTool, globTool, readTool, grepTool, editTool, applyPatchTool, writeTool],
};
