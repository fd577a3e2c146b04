// Owns the closed list of failure codes, each with what to do about it. The page docs/errors.md is made from it.

/** Every way in which something can be refused or fail, and its fix. Closed: a new situation gets a new code here. */
export const failureFixes = {
  // messages and mailboxes
  not_serializable: 'Send plain data only; the error names the path of what is none.',
  outbox_full: 'Await something between tells: the messages of one receive leave when it ends.',
  mailbox_full: 'Send less at a time, or wait: try again once the receiver has caught up.',
  no_such_actor: 'Check the address; no actor ever had it.',
  actor_terminated: 'Spawn it again; the actor has ended.',
  ask_timeout: 'Give the ask a longer timeoutMs, or look at what the receiver does.',
  ask_without_deadline: 'Give ask a timeoutMs above 0.',
  deadlock:
    'Tell instead of asking; delegate tasks from a tool of the service, or raise threads.max.',
  stash_overflow: 'Unstash earlier, or stash less.',
  clone_failed: 'Send data of a kind that structured cloning knows.',
  in_doubt:
    'Check whether the message had its effect before it is sent again: its receiver crashed with it in hand.',
  no_reply: 'Reply in the behaviour before the receive ends.',
  refused: 'Read the message: the receiver refused it.',
  unknown_method: 'Check the name of the method against the class of the actor.',
  reply_in_flight: 'Wait for the reply that is on its way, then interrupt its agent for another.',
  // actors and threads
  name_taken: 'Choose another name, or stop the actor that has it.',
  module_failed: 'Load the module by itself with node, and mend what it throws.',
  spawn_failed: 'Read the message: the actor could not be started.',
  snapshot_failed: 'Keep plain data in the state of the actor.',
  activation_failed: 'Mend what the behaviour throws when it starts again.',
  crashed: 'Read the message and its stack: code in the thread threw.',
  thread_exited: 'Do not call process.exit in a tool or a behaviour.',
  out_of_memory: 'Keep less in the thread, or raise maxHeapMb or memoryMb in its profile.',
  protocol_violation:
    'Use the same version of the package on both sides; a thread sent what it may not.',
  unknown_service: 'Register the service on the actor system before an actor calls it.',
  // signals
  interrupted:
    'Nothing to mend: the run was ended from outside. Start it again where it is still wanted.',
  stopped: 'Nothing to mend: the actor was stopped. Spawn it again where it is still wanted.',
  killed: 'Let code look at its signal, so that it ends before it is killed.',
  unresponsive:
    'Avoid synchronous native calls such as execSync; the thread cannot be ended inside of one.',
  aborted: 'Nothing to mend: the caller gave the call up.',
  // admission: the name of the limit
  interrupting: 'Wait for the interrupt to end before something new is started below.',
  paused: 'Call resume.',
  closed: 'Make a new supervisor: this one is closed.',
  max_spawn_depth: 'Raise limits.maxSpawnDepth, or delegate from higher up.',
  max_concurrent_children:
    'Hand over fewer tasks in one call, or raise limits.maxConcurrentChildren.',
  max_live_agents: 'Try again later, raise limits.maxLiveAgents, or set limits.overflow to queue.',
  max_queued: 'Try again later, raise limits.maxQueued, or use map, which waits for room.',
  max_total_agents: 'Raise limits.maxTotalAgents, or let the tree delegate less.',
  // clocks and budgets
  idle_timeout: 'Look at what the run waited for, or raise idleTimeoutMs.',
  total_timeout: 'Give the run less to do, or raise totalTimeoutMs.',
  tool_timeout: 'Make the tool faster, or raise its timeoutMs.',
  shutdown_timeout: 'Look at the agents that the log names: they did not end in time.',
  max_turns: 'Raise maxTurns, or give the run less to do; its text so far is in the outcome.',
  budget_tokens: 'Raise budget.maxTokens, or give the run less to do.',
  budget_cost: 'Raise budget.maxCostUsd, or give the run less to do.',
  output_invalid: 'Make outputSchema simpler, or say in the goal what the answer has to hold.',
  // misuse
  invalid_options: 'Correct the field that the message names.',
  invalid_task: 'Correct the field of the task that the message names.',
  invalid_agent: 'Correct the field of the definition that the message names.',
  invalid_tool: 'Correct the field of the tool that the message names.',
  unknown_agent: 'Name an agent of the supervisor, or give a definition.',
  unknown_toolset:
    'Name a toolset that there is: file, todo, terminal, web, or one of the supervisor.',
  unknown_profile: 'Name one of the profiles of the supervisor.',
  unknown_skill: 'Name a skill of the option skills.',
  unknown_task: 'Check the id or path; the task was never there, or is not kept any more.',
  duplicate_task: 'Give the second task a name of its own: the same one still runs.',
  unknown_question: 'Answer a question once, and while it waits.',
  // models
  model_missing: "Give createSupervisor a model: 'anthropic:<model id>', an object, or 'offline'.",
  model_unknown:
    "Name a model as 'anthropic:<model id>' or 'openai:<model id>', or give an endpoint.",
  model_key_missing: 'Set the variable that the message names, or give the endpoint an apiKey.',
  model_key_wrong_host: 'Give the endpoint a key of its own: the key belongs to another host.',
  model_setting_refused: 'Leave the setting out: the API of the model refuses it.',
  model_price_missing: 'Give the price of the model in prices, or leave maxCostUsd out.',
  model_package_missing: 'Install the package that the message names.',
  credentials_exhausted: 'Wait, or add keys to the pool: every one is limited or refused.',
  model_auth: 'Check the key and its rights with the provider.',
  model_rate_limited: 'Wait, lower limits.maxLiveAgents, or add keys.',
  model_overloaded: 'Try again later: the provider is overloaded.',
  model_timeout: 'Try again; check the connection to the provider.',
  model_disconnected: 'Try again; check the connection to the provider.',
  model_bad_request: 'Read the message: the provider refuses the request as it is.',
  model_bad_response: 'Check that the address speaks the API that apiMode names.',
  model_empty_answer: 'Try again, or another model: it answered with nothing.',
  model_refused: 'Word the goal differently: the model refuses it.',
  context_window_exceeded: 'Give the run less to read, or choose a model with a larger window.',
  model_output_limit: 'Raise maxOutputTokens, or ask for a shorter answer.',
  model_failed: 'Read the message: the model object threw, or its provider failed.',
  gateway_lost: 'Try again: the thread that talks to providers was lost and is started anew.',
  activation_ended: 'Nothing to mend: the agent that asked has ended.',
  script_exhausted: 'Add steps to the script: more calls came than it has answers.',
  script_unconsumed:
    'Remove steps from the script, or stubs of tools: fewer calls came than there are answers.',
  cassette_refused: 'Check the path of the cassette, or record it anew.',
  cassette_mismatch: 'Record the cassette anew: the program asks something else now.',
  cassette_exhausted: 'Record the cassette anew: the program asks more now.',
  cassette_unconsumed: 'Record the cassette anew: the program asks less now.',
  // tools
  unknown_tool: 'Register the tool, or name one that is registered.',
  tool_denied: 'Grant the tool to the agent, or take it out of disallowedTools.',
  profile_denied: 'Give the profile what the message names, or leave the tool out.',
  agent_denied: 'Add the agent to delegates of the one that delegates.',
  tool_arguments_invalid: 'Describe the fields of the input; the model is told what was wrong.',
  tool_failed: 'Read the message: the tool threw.',
  tool_module_failed: 'Load the module by itself with node, and mend what it throws or lacks.',
  outside_workspace: 'Name a file inside of the workspace, or set another workspace.',
  file_refused: 'Read the message: the file cannot be read or written so.',
  approval_denied: 'Give the supervisor approve, or approve the call.',
  question_unanswered: 'Give the supervisor onQuestion, or answer in time.',
  hook_denied: 'Nothing to mend: a hook denied the call. Read its reason.',
  hook_failed: 'Mend what the hook throws.',
  terminal_failed: 'Read the message: the shell of the agent could not be used.',
  web_refused: 'Allow the address in web.allow where it is meant to be reached.',
  web_failed: 'Try again, and check the address.',
  mcp_package_missing: 'Install @modelcontextprotocol/client.',
  mcp_unavailable: 'Check the command or the url of the MCP server.',
  mcp_failed: 'Read the message: the MCP server answered with an error.',
  log_file_failed: 'Check that logDirectory can be written.',
  // the journal
  journal_driver_missing: 'Use Node 22.13 or later, or install libsql.',
  journal_locked: 'Close the other process, or the other supervisor, that has the journal open.',
  journal_format: 'Use a version of the package that knows the format, or another file.',
  recovery_failed:
    'Read the message: what is missing of the task is damaged, or only the process before had it. Give it again.',
  journal_failed: 'Check the disk and the file; what was not acknowledged may be missing.',
  // sessions
  board_disabled: 'Turn the board of the session on.',
  // a defect of ours
  internal: 'Report it with its message and stack: it is a defect of the package.',
} as const;

/** Every code a failure may have; `docs/errors.md` has what to do about each. */
export type FailureCode = keyof typeof failureFixes;

/** All codes, to iterate over. */
export const failureCodes = Object.keys(failureFixes) as readonly FailureCode[];
