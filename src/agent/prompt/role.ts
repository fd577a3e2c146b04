// Owns the part that gives an agent its role: its own name, then its creator's prompt (A37).

export function rolePart(name: string, prompt: string): string {
  return `# Role\n\nYou are the agent ${name}; others call you by this name.\n\n${prompt}`;
}
