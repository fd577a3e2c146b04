// Owns what approval means for one call: when a person is asked, which input it runs with then, what the model is told.
import { copyData } from '../base/copy-data.ts';
import { type Failure, failure } from '../base/failures.ts';
import type { Approval } from '../protocol/approval.ts';
import type { ToolResult } from '../protocol/history.ts';
import { cutText } from './output.ts';
import type { AnyTool } from './tool.ts';

export type ApprovalOptions = {
  /** A person is asked whatever the tool declares. Default false. */
  readonly isApprovalRequired?: boolean;
  /** Asks a person for a tool that needs it; never rejects. Without it such a tool is denied. */
  approve?(): Promise<Approval>;
};

const allowed: Approval = { status: 'allowed' };

/** False for a tool whose calls no person is asked for, whatever their input. */
export function mayAsk(tool: AnyTool, { isApprovalRequired = false }: ApprovalOptions): boolean {
  return isApprovalRequired || tool.needsApproval !== undefined;
}

/** Asks a person where that is needed; `input` is what the tool's schema made. */
export async function approvalOf(
  tool: AnyTool,
  input: unknown,
  { isApprovalRequired = false, approve }: ApprovalOptions,
): Promise<Approval> {
  const { needsApproval = false, name } = tool;
  // As with `run`: what the schema made is what the tool takes.
  const declares = (): boolean | Promise<boolean> =>
    typeof needsApproval === 'function' ? needsApproval(input as never) : needsApproval;
  if (!isApprovalRequired && !(await declares())) return allowed;
  if (approve !== undefined) return approve();
  const why = `Tool "${name}" needs a person's approval, and there is no one to ask.`;
  return { status: 'denied', failure: failure('approval_denied', why) };
}

/** An input that a person changed does not fit the tool's schema: the model is not to blame for it. */
export function failureOfEdit(name: string, why: Failure): Failure {
  const text = `A person changed the arguments of tool "${name}", and the changed ones do not fit. It was not run. ${why.message}`;
  return failure('tool_arguments_invalid', text);
}

/** Characters of the changed input that the model is shown. */
const maxShownInput = 2_000;

/** What the model is told of an input that a person changed; at most half of what its result may be. */
export function noteOfEdit(input: unknown, maxChars: number): string {
  const lead = 'A person changed the arguments of this call before it ran. It ran with: ';
  const shown = JSON.stringify(copyData(input)) ?? 'nothing';
  const space = Math.min(maxShownInput, Math.floor(maxChars / 2) - lead.length);
  return space > 0
    ? `${lead}${cutText(shown, space)}\n\n`
    : cutText(lead, Math.max(1, maxChars / 2));
}

/** The result of a call with an input that a person changed, with the note ahead of it. */
export function editedResult(
  note: string,
  input: unknown,
  { content, ...rest }: ToolResult,
): ToolResult {
  if (typeof content === 'string') return { ...rest, content: `${note}${content}`, input };
  return { ...rest, content: [{ type: 'text', text: note.trimEnd() }, ...content], input };
}
