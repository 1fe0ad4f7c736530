import * as v from 'valibot';
import { AwsError } from '../service.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(1));

const faultSchema = v.strictObject({
  service: v.picklist(['ec2', 'dynamodb', 'streams.dynamodb', 'events', 'sqs', 'lambda', 'sts']),
  /** Any action of the service unless given. */
  action: v.optional(v.string()),
  /** A part of the parameters; a value also matches a list that contains it. */
  match: v.optional(v.record(v.string(), v.unknown())),
  /** Logical id or name of the calling function, `events` for what rules deliver, or an access key id. */
  caller: v.optional(v.string()),
  error: v.optional(v.string()),
  status: v.optional(v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599))),
  message: v.optional(v.string()),
  /** How many calls it befalls; 0 or "always": until cleared. */
  times: v.optional(v.union([v.pipe(v.number(), v.integer(), v.minValue(0)), v.literal('always')]), 1),
  /** How many matching calls pass first. */
  skip: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
  delayMs: v.optional(v.pipe(v.number(), v.minValue(0)), 0),
  /** The call is carried out first; with nothing else said its answer is lost. */
  after: v.optional(v.boolean(), false),
  /** Only the n-th page of a paged read. */
  page: v.optional(count),
  /** The answer's body, word for word. */
  body: v.optional(v.string()),
  /** The next n reads of the resource in `match` are late. */
  lag: v.optional(count),
  backwards: v.optional(v.boolean()),
  /** Ends the calling function's process. */
  kill: v.optional(v.boolean(), false),
  /** Never answers. */
  hang: v.optional(v.boolean(), false),
});

export type Fault = v.InferOutput<typeof faultSchema>;
export type FaultInput = v.InferInput<typeof faultSchema>;

/** Reads a fault. Throws an `AwsError` with status 400 that names the member at fault. */
export function readFault(given: unknown): Fault {
  const { success, output, issues } = v.safeParse(faultSchema, given);
  if (success) return output;
  const [issue] = issues;
  throw new AwsError('InvalidFault', `${v.getDotPath(issue) ?? 'fault'}: ${issue.message}`);
}
