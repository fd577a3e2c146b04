// Owns the start of a shell below a launcher: a process without secrets between the service and what an agent's commands can see.

export type Launch = { readonly file: string; readonly args: readonly string[] };

/**
 * Keeps the environment of the service from the shell's processes, which have its user's rights. The kernel shows
 * /proc/<pid>/environ to one that has every capability of that process in the same user namespace: the shell of a root
 * service loses four capabilities for good, that of any other gets a user namespace of its own with the same user in it.
 */
const hidingFor = (isRoot: boolean): string =>
  isRoot
    ? '/usr/bin/setpriv --bounding-set=-sys_ptrace,-sys_admin,-perfmon,-setpcap --'
    : '/usr/bin/unshare --user --map-current-user --';

/**
 * Remains the shell's parent until the shell has ended, whatever signals the group, and exits with its status. If the
 * system does not allow the hiding (a container may not), or it does not help, the shell runs without it, and the reason is
 * printed as an error.
 */
const script = `trap : HUP INT TERM
hiding=$1
shift
why=$($hiding /bin/sh -c "! (: < /proc/$PPID/environ)" 2>&1) || { hiding=; echo "\${why:-it can be read}" >&2; }
exec 2>/dev/null
$hiding "$@"`;

/** The command that runs a shell below its launcher. */
export function launchOf(shell: Launch, isRoot = process.getuid?.() === 0): Launch {
  const { file, args } = shell;
  return {
    file: '/bin/sh',
    args: ['-c', script, 'launcher', hidingFor(isRoot), file, ...args],
  };
}
