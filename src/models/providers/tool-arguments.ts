// Owns how the arguments that a model wrote become a tool's input, and go back. Checks no schema: tools do.

/** What the text says, `{}` for none; a text that is no JSON stays a text, which every tool refuses by name. */
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
