/** The `sync` item's content, checked field by field: what it means is the sync's business. */
import * as v from 'valibot';

const time = v.pipe(v.number(), v.finite());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const failure = v.object({
  action: v.string(),
  destination: v.nullable(v.string()),
  code: v.string(),
  message: v.string(),
  permanent: v.boolean(),
});
const limit = v.object({ rows: v.pipe(v.number(), v.integer()), until: time });
const denial = v.object({ failures: count, retryAt: time, failure });
const table = v.object({
  failures: count,
  retryAt: time,
  lastFailure: v.nullable(failure),
  denied: v.optional(
    v.object({
      CreateRoute: v.exactOptional(denial),
      ReplaceRoute: v.exactOptional(denial),
      DeleteRoute: v.exactOptional(denial),
    }),
    {},
  ),
  limits: v.object({ ipv4: v.exactOptional(limit), ipv6: v.exactOptional(limit) }),
  filled: v.boolean(),
  rows: v.record(v.string(), v.object({ eniId: v.nullable(v.string()), failures: count, retryAt: time, failure })),
  toldOverflow: v.nullable(v.string()),
});
const bucket = v.object({ tokens: time, at: time, slowUntil: time });

const schema = v.object({
  vpcId: v.nullable(v.string()),
  counter: count,
  distrusted: v.optional(v.boolean(), false),
  complete: v.nullable(v.object({ readAt: time, counter: count })),
  buckets: v.object({ CreateRoute: bucket, ReplaceRoute: bucket, DeleteRoute: bucket }),
  tables: v.record(v.string(), table),
  routed: v.record(
    v.string(),
    v.object({ routed: v.boolean(), changeSeenAt: v.nullable(time), leftAt: v.nullable(time) }),
  ),
  announced: v.record(v.string(), time),
  publishedAt: time,
  mapPlace: v.optional(v.nullable(v.object({ epoch: count, revision: count })), null),
  writtenAt: v.optional(time, 0),
  toldRefusal: v.nullable(v.string()),
});

/** Null for what does not fit. */
export function checkedSync(stored: unknown): v.InferOutput<typeof schema> | null {
  const parsed = v.safeParse(schema, stored);
  return parsed.success ? parsed.output : null;
}
