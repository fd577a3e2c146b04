// Owns what a shell reads for one command: the command itself, and the mark that reports its status.

/**
 * The command runs in the shell itself, so that its settings persist; it does not read the shell's input. Functions and
 * aliases of any name but `builtin` leave it working: bash runs `eval` as the builtin; plain sh has no function of a special
 * builtin's name, and needs `command` so that a syntax error does not end it. A process of its own prints the status: nothing
 * that the command left in its shell, a read-only variable or a function, keeps it from that; exported functions are removed.
 */
export function scriptOf(command: string, token: string, shell: 'bash' | 'sh'): string {
  const quoted = `'${command.replaceAll("'", "'\\''")}'`;
  const run =
    shell === 'bash' ? `\\builtin eval ${quoted}` : `\\unset -f command; \\command eval ${quoted}`;
  const report = `/bin/sh -c 'unset -f printf; printf "\\000${token} %d\\000" "$1"' sh "$?"`;
  return `{ ${run}; } </dev/null >&3 2>&1 3>&-\n(${report}) >&3\n`;
}
