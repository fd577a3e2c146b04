// Owns the part that tells an agent who it is: its own name, then what its creator says (A37).

export function rolePart(name: string, prompt: string): string {
  return `# Role\n\nYou are the agent ${name}; others call you by this name.\n\n${prompt}`;
}
