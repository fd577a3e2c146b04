// Owns what `troupe` prints when it is given nothing: what it is, how to begin, and where to read on. Pure.

/** `readme`: the path of the README of this package. */
export function introduction(readme: string): string {
  return `troupe runs LLM subagents: each an actor with its own mailbox and history, on worker threads.

  troupe init [folder]                                     a small project to begin with
  troupe run --goal <text>                                 one agent for one goal
  troupe run --goal <text> --each <glob> --toolsets file   one agent per file; with --roles one
                                                           orchestrator that delegates
  troupe run tasks.jsonl                                   one agent per line of a file

All of it runs without a key: the default model is "offline", which calls no provider.
--model anthropic:<model id> or openai:<model id> names a real one.

Options: troupe init --help, troupe run --help
Read on: ${readme}
`;
}
