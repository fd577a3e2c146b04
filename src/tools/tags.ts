// Owns the capability tags that mean something to deny lists, and the list that keeps a child to its work (X19).

/**
 * What a tool can do, for deny lists to name as `tag:…`: a list of capabilities also applies to tools unknown to it.
 * The built-in toolsets have theirs; tools of users take these or tags of their own.
 */
export const capabilityTags = {
  /** Files of the workspace, beside `read` or `write`. */
  file: 'file',
  read: 'read',
  write: 'write',
  /** A shell; with `process`, for all that starts processes. */
  terminal: 'terminal',
  process: 'process',
  /** Reaches other machines; with `web`, for the tools of that toolset. */
  network: 'network',
  web: 'web',
  /** Runs code that the model wrote, other than in a shell. */
  codeExecution: 'code_execution',
  /** Hands work to further agents. */
  delegation: 'delegation',
  /** Asks a person. */
  clarify: 'clarify',
  /** Writes memory that outlives the session and is shared. */
  memory: 'memory',
  /** Sends messages to people or other platforms. */
  messaging: 'messaging',
} as const;

/** Every call of the tool has a limit of its own that the supervisor does not know: until then its run is not idle. */
export const selfTimedTag = 'self_timed';

/** It takes much memory: with `isolation: 'auto'` its agent runs in a process of its own. */
export const heavyTag = 'heavy';

/** A deny list for children: none delegates, asks a person, writes shared memory, sends messages or runs code. */
export const subagentDenyList: readonly string[] = [
  capabilityTags.delegation,
  capabilityTags.clarify,
  capabilityTags.memory,
  capabilityTags.messaging,
  capabilityTags.codeExecution,
].map((tag) => `tag:${tag}`);
