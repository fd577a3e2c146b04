// The entry point `troupe/testing`: doubles of the services outside, and the manual clock.
export { TestProbe } from './actor/test-probe.ts';
export { ManualClock } from './base/clock.ts';
export type { Script, ScriptedToolCall, ScriptStep } from './models/script.ts';
export { type ScriptedModel, scripted } from './models/scripted.ts';
export type { ChangedReply, RecordOptions, ReplayOptions } from './testing/cassette-options.ts';
export { recorded } from './testing/recorded.ts';
export { type ReplayedModel, replayed } from './testing/replayed.ts';
export {
  type StubModelServer,
  type StubRequest,
  startStubModelServer,
} from './testing/stub-model-server.ts';
export type { StubReply, StubUsage } from './testing/stub-reply.ts';
export {
  type StubbedCall,
  type StubbedTools,
  stubTools,
  type ToolStub,
} from './testing/stub-tools.ts';
