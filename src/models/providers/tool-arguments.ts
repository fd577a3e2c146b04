// Owns how the arguments that a model wrote become a tool's input, and go back. Checks no schema: tools do.

/** The value of the text, `{}` for an empty one; a text that is no JSON remains a text, which every tool refuses. */
export function parseArguments(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    // What the model wrote is for the model to see again, beside the refusal of its tool.
    return text;
  }
}

/** The text of an input, as the model wrote it. */
export function argumentsText(input: unknown): string {
  return typeof input === 'string' ? input : (JSON.stringify(input) ?? '{}');
}
