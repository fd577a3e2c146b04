// Owns the public face of `troupe/progress`: the view of the command on a supervisor of one's own.
export { type ShowProgressOptions, showProgress } from './cli/show-progress.ts';
