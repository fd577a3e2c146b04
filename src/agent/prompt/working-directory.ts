// Owns the part that names the folder an agent works in, and explains what it is for (A58).

export function workingDirectoryPart(path: string, isOutputFolder: boolean): string {
  const block = `# Working Directory\n\n${path}`;
  return isOutputFolder
    ? `${block}\n\nSave the files you generate in this folder, unless you are told otherwise.`
    : block;
}
