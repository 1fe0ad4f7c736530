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

/** Of each service. */
export type ActionsByService = ReadonlyMap<string, readonly string[]>;

/** Reads a fault. Throws an `AwsError` with status 400 that names the member at fault. */
export function readFault(given: unknown, actions: ActionsByService): Fault {
  const { success, output, issues } = v.safeParse(faultSchema, given);
  if (!success) throw invalid(problemOf(issues[0]));
  const { service, action } = output;
  const known = actions.get(service) ?? [];
  if (action !== undefined && !known.includes(action)) {
    throw invalid(`action: ${service} has no ${action} here, only ${known.toSorted().join(', ')}`);
  }
  if (!hasEffect(output)) throw invalid(`a fault does something: one of ${effects.join(', ')} is wanted`);
  return output;
}

type Issue = v.InferIssue<typeof faultSchema>;

function problemOf(issue: Issue): string {
  const member = v.getDotPath(issue);
  if (member === null) return `a fault is an object (got ${issue.received})`;
  if (issue.expected !== 'never') return `${member}: ${issue.message}`;
  return `${member}: is not a member of a fault; the members are ${Object.keys(faultSchema.entries).join(', ')}`;
}

const effects = ['error', 'body', 'delayMs', 'after', 'lag', 'kill', 'hang'] as const;

/** Every member that is left out is undefined, false or 0; an empty body is an answer too. */
const hasEffect = (fault: Fault) => fault.body !== undefined || effects.some((effect) => Boolean(fault[effect]));

const invalid = (message: string) => new AwsError('InvalidFault', message);
