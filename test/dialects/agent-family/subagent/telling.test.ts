// Checks that a tracer or a logger that throws fails no subagent: registered, asked and refused as with one that works.
import { describe, expect, it } from 'vitest';
import { msgText } from '#src/dialects/agent-family/base/msg.js';
import type { Permissions } from '#src/dialects/agent-family/subagent/permissions.js';
import { arrange, recordingLogger, scout, spec } from '../subagent-support.ts';

const fail = (what: string) => (): never => {
  throw new Error(`${what} is full`);
};

const logger = recordingLogger();
const hosts: readonly (readonly [string, Partial<Permissions>, number])[] = [
  ['a tracer', { logger, traceProvider: { startSpan: fail('the disk') } }, 4],
  [
    'a span',
    { logger, traceProvider: { startSpan: () => ({ id: 's', end: fail('the disk') }) } },
    4,
  ],
  ['a logger', { logger: { warn: fail('the disk') } }, 0],
  [
    'a tracer and a logger',
    { logger: { warn: fail('the log') }, traceProvider: { startSpan: fail('the disk') } },
    0,
  ],
];

describe('a host that cannot be told', () => {
  it.each(hosts)('for %s that throws has its subagents all the same (D29, D54)', async (...row) => {
    const [, permissions, warnings] = row;
    logger.warnings.length = 0;
    const { registry, ask, responses } = arrange(
      {
        agents: {
          host: [
            { toolCalls: [{ name: 'invoke_a', input: { query: 'Look.' } }] },
            { text: 'never mind' },
          ],
          a: [{ throw: { status: 400, message: 'no' } }],
        },
      },
      { permissions },
    );

    const ill = { ...spec('ill'), healthcheck: () => false };
    expect(await registry.register(scout(), ill)).toBe(false);
    expect(await registry.register(scout(), ill)).toBe(false);
    expect(await registry.register(scout(), spec('a'))).toBe(true);
    const reply = await ask();

    expect(msgText(reply)).toBe('never mind');
    expect(responses.map(({ metadata }) => metadata.error)).toEqual(['model_bad_request']);
    const ofTracer = logger.warnings.filter(({ message }) => message.includes('the tracer failed'));
    expect(ofTracer.map(({ message }) => message)).toEqual(
      Array.from({ length: warnings }, () => 'the tracer failed: the disk is full'),
    );
  });
});
