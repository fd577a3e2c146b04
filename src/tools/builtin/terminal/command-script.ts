// Owns what a shell reads for one command: the command itself, and the mark that reports its status.

/**
 * The command runs in the shell itself, so that what it sets stays; it reads nothing of what the shell reads. Functions and
 * aliases of any name but `builtin` leave it working: bash runs `eval` as the builtin; plain sh has no function of a special
 * builtin's name, and needs `command` so that a syntax error does not end it. The status is printed in a subshell that takes
 * away a function `printf`; its POSIX mode, turned on by an assignment, finds the builtin `unset` before a function.
 */
export function scriptOf(command: string, token: string, shell: 'bash' | 'sh'): string {
  const quoted = `'${command.replaceAll("'", "'\\''")}'`;
  const run =
    shell === 'bash' ? `\\builtin eval ${quoted}` : `\\unset -f command; \\command eval ${quoted}`;
  const report = `POSIXLY_CORRECT=$?; \\unset -f printf; \\printf '\\000${token} %d\\000' "$POSIXLY_CORRECT"`;
  return `{ ${run}; } </dev/null >&3 2>&1 3>&-\n(${report}) >&3\n`;
}
