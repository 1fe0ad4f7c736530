/** One table's stream: records spread over shards by partition key, so that order holds per item and not across items. */
import { createHash, randomBytes } from 'node:crypto';
import { AwsError } from '../service.ts';
import type { Schema } from './engine.ts';
import { type Change, type StreamRecord, type StreamViewType, streamRecord } from './stream-record.ts';

const shardCount = 2;
/** DynamoDB keeps stream records for 24 hours. */
const retentionSeconds = 24 * 3600;

/** A position counts the records ever written to a shard: 0 is TRIM_HORIZON, `end` is LATEST. */
interface Shard {
  readonly id: string;
  readonly firstSequenceNumber: string;
  readonly records: StreamRecord[];
  trimmed: number;
}

export class StreamLog {
  readonly arn: string;
  readonly label: string;
  readonly tableName: string;
  readonly schema: Schema;
  readonly viewType: StreamViewType;
  readonly createdAt: number;
  enabled = true;
  readonly #shards: readonly Shard[];
  readonly #nextSequenceNumber: () => string;

  constructor(
    schema: Schema,
    viewType: StreamViewType,
    label: string,
    createdAt: number,
    nextSequenceNumber: () => string,
  ) {
    this.tableName = schema.TableName;
    this.arn = `${schema.TableArn}/stream/${label}`;
    this.label = label;
    this.schema = schema;
    this.viewType = viewType;
    this.createdAt = createdAt;
    this.#nextSequenceNumber = nextSequenceNumber;
    this.#shards = Array.from({ length: shardCount }, (_, index) => ({
      id: `shardId-${String(createdAt + index).padStart(20, '0')}-${randomBytes(4).toString('hex')}`,
      firstSequenceNumber: nextSequenceNumber(),
      records: [],
      trimmed: 0,
    }));
  }

  append(change: Change, now: number): { readonly shardId: string; readonly record: StreamRecord } {
    const partitionKey = change.keys[this.schema.KeySchema[0]?.AttributeName ?? ''];
    const hash = createHash('sha256').update(JSON.stringify(partitionKey)).digest();
    const shard = this.#shards[hash.readUInt32BE() % shardCount];
    if (shard === undefined) throw new Error('a stream without shards');
    const record = streamRecord(change, this, this.#nextSequenceNumber(), now);
    const kept = shard.records.findIndex(
      (old) => old.dynamodb.ApproximateCreationDateTime > now / 1000 - retentionSeconds,
    );
    const outdated = kept === -1 ? shard.records.length : kept;
    shard.records.splice(0, outdated);
    shard.trimmed += outdated;
    shard.records.push(record);
    return { shardId: shard.id, record };
  }

  shards(): readonly { readonly id: string; readonly firstSequenceNumber: string }[] {
    return this.#shards;
  }

  read(
    shardId: string,
    fromPosition: number,
    limit: number,
  ): { readonly records: readonly StreamRecord[]; readonly nextPosition: number } {
    const shard = this.#shard(shardId);
    const start = Math.max(fromPosition - shard.trimmed, 0);
    const records = shard.records.slice(start, start + limit);
    return { records, nextPosition: shard.trimmed + start + records.length };
  }

  end(shardId: string): number {
    const shard = this.#shard(shardId);
    return shard.trimmed + shard.records.length;
  }

  /** The position of the first record whose number is `sequenceNumber` or, with none such, higher. */
  positionOf(shardId: string, sequenceNumber: bigint): number {
    const shard = this.#shard(shardId);
    const index = shard.records.findIndex((record) => BigInt(record.dynamodb.SequenceNumber) >= sequenceNumber);
    return shard.trimmed + (index === -1 ? shard.records.length : index);
  }

  #shard(id: string): Shard {
    const shard = this.#shards.find((candidate) => candidate.id === id);
    if (shard === undefined) {
      throw new AwsError(
        'ResourceNotFoundException',
        `Requested resource not found: Shard ${id} in Stream ${this.arn} not found`,
      );
    }
    return shard;
  }
}
