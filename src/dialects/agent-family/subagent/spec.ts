// Owns what a program specifies about a subagent: the spec, its check, and the error by which a health check refuses.
import { z } from 'zod';
import type { ModelRef } from '../../../agent/definition.ts';
import { modelRefSchema } from '../../../agent/model-choice.ts';
import { describe } from '../../../base/failures.ts';
import { parseOptions } from '../../../base/parse-options.ts';

/** A subagent as a program registers it. */
export type SubAgentSpec = {
  /** Unique among the subagents of a host; letters, digits, `_` and `-`. Its tool is called `invoke_<name>` by default. */
  readonly name: string;
  /** What it is for, as the host's model reads it. */
  readonly description: string;
  /** Names of the tools it has. Default: none at all. */
  readonly toolsAllowlist?: readonly string[];
  /** Default: the model of its class, else the host's. */
  readonly modelOverride?: ModelRef | undefined;
  /** Tags of its tool, beside `delegation`. Default: none. */
  readonly tags?: readonly string[];
  /** Asked once, at registration, awaited. False or a throw keeps it from being registered. */
  readonly healthcheck?: HealthCheck | undefined;
};

type HealthCheck = () => unknown;

/** A spec with its defaults, frozen: what is changed afterwards changes no subagent. */
export type CheckedSpec = {
  readonly name: string;
  readonly description: string;
  readonly toolsAllowlist: readonly string[];
  readonly modelOverride: ModelRef | undefined;
  readonly tags: readonly string[];
  readonly healthcheck: HealthCheck | undefined;
};

const specSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,48}$/, 'expected letters, digits, _ and -, at most 48'),
  description: z.string().refine((text) => text.trim() !== '', 'expected text that is not empty'),
  toolsAllowlist: z.array(z.string().min(1)).optional(),
  modelOverride: modelRefSchema.optional(),
  tags: z.array(z.string().min(1)).optional(),
  healthcheck: z.custom((value) => typeof value === 'function', 'expected a function').optional(),
});

/** A frozen copy with its defaults. Throws `invalid_options` naming the field and the value seen. */
export function checkSpec(spec: SubAgentSpec): CheckedSpec {
  parseOptions(specSchema, spec, 'SubAgentSpec');
  const { name, description, toolsAllowlist = [], modelOverride, tags = [], healthcheck } = spec;
  return Object.freeze({
    name,
    description,
    toolsAllowlist: Object.freeze([...toolsAllowlist]),
    modelOverride,
    tags: Object.freeze([...tags]),
    healthcheck,
  });
}

/** The name of a subagent's tool when none is given. */
export function defaultToolName({ name }: Pick<SubAgentSpec, 'name'>): string {
  return `invoke_${name}`;
}

/** Thrown by a health check, or while a subagent is made: it is not there now, and why. */
export class SubAgentUnavailable extends Error {
  override readonly name = 'SubAgentUnavailable';
  /** The name of the subagent. */
  readonly subagent: string;

  constructor(subagent: string, why: string, options?: ErrorOptions) {
    super(`subagent ${describe(subagent)} is unavailable: ${why}`, options);
    this.subagent = subagent;
  }
}
