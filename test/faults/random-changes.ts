/** What can happen to a world between two looks at it, as values that a seed stands for. */
import fc from 'fast-check';

/** Nodes that a world has, numbered from 1. */
export const nodes = 8;

const node = fc.integer({ min: 1, max: nodes });
const table = fc.nat(2);
const pick = fc.nat(20);

const writeErrors = [
  'RequestLimitExceeded',
  'Unavailable',
  'InternalError',
  'UnauthorizedOperation',
  'InvalidRouteTableID.NotFound',
  'InvalidParameterValue',
] as const;

const kinds = {
  /** A node claims, with its primary or its spare interface, any subnet or 10.244.x.0/24. */
  claim: fc.record({
    kind: fc.constant('claim' as const),
    node,
    spare: fc.boolean(),
    third: fc.option(fc.integer({ min: 198, max: 204 })),
  }),
  power: fc.record({
    kind: fc.constant('power' as const),
    node,
    to: fc.constantFrom('StopInstances', 'StartInstances', 'TerminateInstances'),
  }),
  /** EC2's event of some time ago once more. */
  replay: fc.record({ kind: fc.constant('replay' as const), pick }),
  release: fc.record({ kind: fc.constant('release' as const), node }),
  /** Somebody deletes a route of ours. */
  hand: fc.record({ kind: fc.constant('hand' as const), table, pick }),
  /** A route of ours turns into a blackhole, with or without the dead id. */
  dark: fc.record({ kind: fc.constant('dark' as const), table, pick, bare: fc.boolean() }),
  /** A row in our form that no lease knows. */
  stray: fc.record({
    kind: fc.constant('stray' as const),
    table,
    third: fc.integer({ min: 1, max: 60 }),
    form: fc.constantFrom('active', 'dead', 'bare'),
  }),
  /** Somebody else's row inside the range, where none of ours stands. */
  foreign: fc.record({
    kind: fc.constant('foreign' as const),
    table,
    third: fc.integer({ min: 200, max: 204 }),
    half: fc.boolean(),
  }),
  writeFault: fc.record({
    kind: fc.constant('writeFault' as const),
    action: fc.constantFrom('CreateRoute', 'ReplaceRoute', 'DeleteRoute'),
    table,
    error: fc.constantFrom(...writeErrors),
    /** The write works and its answer is lost. */
    after: fc.boolean(),
    times: fc.integer({ min: 1, max: 4 }),
    skip: fc.nat(2),
  }),
  readFault: fc.record({
    kind: fc.constant('readFault' as const),
    what: fc.constantFrom('tables fail', 'tables are empty', 'tables are garbage', 'instances fail', 'leases fail'),
    times: fc.integer({ min: 1, max: 3 }),
  }),
  /** A function's process dies at one of its calls, before or after the call's effect. */
  kill: fc.record({
    kind: fc.constant('kill' as const),
    caller: fc.constantFrom('SyncRoutesFunction', 'KeepLeasesFunction', 'PublishLeaseChangesFunction'),
    service: fc.constantFrom('ec2', 'dynamodb', 'events'),
    after: fc.boolean(),
    skip: fc.nat(6),
  }),
  lag: fc.record({
    kind: fc.constant('lag' as const),
    table,
    reads: fc.integer({ min: 1, max: 3 }),
    backwards: fc.boolean(),
  }),
  sync: fc.constant({ kind: 'sync' as const }),
  sweep: fc.constant({ kind: 'sweep' as const }),
  wait: fc.record({ kind: fc.constant('wait' as const), seconds: fc.constantFrom(0, 5, 70, 1000) }),
};

const weights = {
  claim: 7,
  power: 4,
  replay: 2,
  release: 1,
  hand: 1,
  dark: 2,
  stray: 2,
  foreign: 1,
  writeFault: 4,
  readFault: 1,
  kill: 1,
  lag: 2,
  sync: 2,
  sweep: 1,
  wait: 3,
} satisfies Record<keyof typeof kinds, number>;

export type Change = {
  [kind in keyof typeof kinds]: (typeof kinds)[kind] extends fc.Arbitrary<infer C> ? C : never;
}[keyof typeof kinds];

const change: fc.Arbitrary<Change> = fc.oneof(
  ...(Object.keys(kinds) as (keyof typeof kinds)[]).map((kind) => ({
    arbitrary: kinds[kind] as fc.Arbitrary<Change>,
    weight: weights[kind],
  })),
);

export interface Story {
  /** Whether queues and streams hand over everything a second time. */
  readonly twice: boolean;
  readonly changes: readonly Change[];
}

/** The same story for the same seed. */
export function storyOf(seed: number): Story {
  const story = fc.record({ twice: fc.boolean(), changes: fc.array(change, { minLength: 5, maxLength: 12 }) });
  const [first] = fc.sample(story, { seed, numRuns: 1 });
  if (first === undefined) throw new Error(`seed ${seed} tells nothing`);
  return first;
}
