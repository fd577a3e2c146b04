// Owns the names of models as editors complete them: those that the Anthropic SDK knows, and of those that the OpenAI SDK knows
// the newer ones without a date. Without the types of either. Types only.

type ClaudeId =
  | 'claude-fable-5-2'
  | 'claude-mythos-5-2'
  | 'claude-haiku-5-5'
  | 'claude-sonnet-5-5'
  | 'claude-fable-5-1'
  | 'claude-opus-5-5'
  | 'claude-mythos-5-1'
  | 'claude-sonnet-5'
  | 'claude-fable-5'
  | 'claude-mythos-5'
  | 'claude-opus-5'
  | 'claude-opus-4-8'
  | 'claude-opus-4-7'
  | 'claude-mythos-preview'
  | 'claude-opus-4-6'
  | 'claude-sonnet-4-6'
  | 'claude-haiku-4-5'
  | 'claude-haiku-4-5-20251001'
  | 'claude-opus-4-5'
  | 'claude-opus-4-5-20251101'
  | 'claude-sonnet-4-5'
  | 'claude-sonnet-4-5-20250929';

/** Those of OpenAI. */
type GptId =
  | 'gpt-5.6-sol'
  | 'gpt-5.6-terra'
  | 'gpt-5.6-luna'
  | 'gpt-5.4'
  | 'gpt-5.4-mini'
  | 'gpt-5.4-nano'
  | 'gpt-5.2'
  | 'gpt-5.2-pro'
  | 'gpt-5.1'
  | 'gpt-5.1-codex'
  | 'gpt-5.1-mini'
  | 'gpt-5'
  | 'gpt-5-mini'
  | 'gpt-5-nano'
  | 'gpt-4.1'
  | 'gpt-4.1-mini'
  | 'gpt-4.1-nano'
  | 'o4-mini'
  | 'o3'
  | 'o3-mini';

/** `offline`, `anthropic:<model id>` or `openai:<model id>`; any id goes, also one that is not listed here. */
export type ModelName = 'offline' | `anthropic:${ClaudeId}` | `openai:${GptId}` | (string & {});
