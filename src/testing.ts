// The testing face of the package: doubles of what a service meets outside, and the clock that stands still.
export { ManualClock } from './clock.ts';
export type { Script, ScriptedToolCall, ScriptStep } from './models/script.ts';
export { type ScriptedModel, scripted } from './models/scripted.ts';
export {
  type StubModelServer,
  type StubRequest,
  startStubModelServer,
} from './testing/stub-model-server.ts';
export type { StubReply, StubUsage } from './testing/stub-reply.ts';
