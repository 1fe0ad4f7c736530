/** Records of DynamoDB streams as plain values. */

import * as v from 'valibot';
import { InvalidInput } from '../shared/domain/invalid-input.ts';
import { parseWith } from '../shared/domain/parse-with.ts';

export interface StreamRecord {
  /** `INSERT`, `MODIFY` or `REMOVE`. */
  readonly eventName: string;
  readonly sequenceNumber: string;
  readonly pk: string;
  readonly sk: string;
  /** Attributes, unmarshalled; null where there is no such image. */
  readonly before: unknown;
  readonly after: unknown;
  /** Removed by DynamoDB's time to live and not by anybody. */
  readonly isExpiry: boolean;
  /** ARN of the stream, which names partition, region and account. */
  readonly streamArn: string;
}

const image = v.optional(v.record(v.string(), v.unknown()));
const schema = v.object({
  eventName: v.picklist(['INSERT', 'MODIFY', 'REMOVE'], 'is no event name'),
  eventSourceARN: v.string('is not text'),
  userIdentity: v.nullish(v.object({ principalId: v.optional(v.string()) })),
  dynamodb: v.object({
    SequenceNumber: v.string('is not text'),
    Keys: v.object({ pk: v.object({ S: v.string() }), sk: v.object({ S: v.string() }) }),
    OldImage: image,
    NewImage: image,
  }),
});

/** @throws InvalidInput for what is no such record. */
export function parseStreamRecord(raw: unknown): StreamRecord {
  const { eventName, eventSourceARN, userIdentity, dynamodb } = parseWith(schema, raw, 'record');
  return {
    eventName,
    sequenceNumber: dynamodb.SequenceNumber,
    pk: dynamodb.Keys.pk.S,
    sk: dynamodb.Keys.sk.S,
    before: imageOf(dynamodb.OldImage),
    after: imageOf(dynamodb.NewImage),
    isExpiry: eventName === 'REMOVE' && userIdentity?.principalId === 'dynamodb.amazonaws.com',
    streamArn: eventSourceARN,
  };
}

/** The records of an event, or null if it is no event of a DynamoDB stream. */
export function streamRecordsOf(event: unknown): readonly unknown[] | null {
  const result = v.safeParse(v.object({ Records: v.pipe(v.array(v.unknown()), v.minLength(1)) }), event);
  if (!result.success) return null;
  const [first] = result.output.Records;
  return v.is(v.object({ eventSource: v.literal('aws:dynamodb') }), first) ? result.output.Records : null;
}

function imageOf(attributes: Record<string, unknown> | undefined): Record<string, unknown> | null {
  if (attributes === undefined) return null;
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, plainOf(value, name)]));
}

/** The types that our items have. Any other stands for itself, and is refused by whoever reads the item. */
function plainOf(value: unknown, field: string): unknown {
  if (typeof value !== 'object' || value === null) throw new InvalidInput(field, value, 'is no attribute value');
  const [[type, inner] = ['', undefined]] = Object.entries(value);
  switch (type) {
    case 'S':
    case 'BOOL':
      return inner;
    case 'N':
      return Number(inner);
    case 'NULL':
      return null;
    case 'M':
      return imageOf(inner as Record<string, unknown>);
    case 'L':
      return (inner as unknown[]).map((item, at) => plainOf(item, `${field}[${at}]`));
    default:
      return value;
  }
}
