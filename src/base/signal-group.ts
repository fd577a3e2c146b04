// Owns the signal to a whole process group. Knows no process.

/** False when no process of the group is there to be signalled. The system reuses a group's number once it has no live member. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(process.platform === 'win32' ? group : -group, signal);
  } catch {
    // ESRCH, or EPERM where only dead members are left: there is no process to signal.
    return false;
  }
}
