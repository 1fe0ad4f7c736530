/** The streams of all tables: the API of DynamoDB Streams, and the same records in process for the sandbox's pollers. */
import { type ApiRequest, AwsError, type SandboxClock, type Service } from '../service.ts';
import type { Params, Schema } from './engine.ts';
import { readShardIterator, writeShardIterator } from './shard-iterator.ts';
import { StreamLog } from './stream-log.ts';
import type { Change, StreamRecord, StreamViewType } from './stream-record.ts';

/** Called after the write is done, in the order of writes; must not throw. */
export type RecordListener = (tableName: string, shardId: string, record: StreamRecord) => void;

const defaultLimit = 100;
const maxRecords = 1000;

export class DynamoDbStreams implements Service {
  readonly name = 'streams.dynamodb';
  readonly #handlers = new Map<string, (params: Params) => Params>([
    ['ListStreams', (params) => this.#listStreams(params)],
    ['DescribeStream', (params) => this.#describeStream(params)],
    ['GetShardIterator', (params) => this.#getShardIterator(params)],
    ['GetRecords', (params) => this.#getRecords(params)],
  ]);
  readonly #clock: SandboxClock;
  readonly #logs: StreamLog[] = [];
  readonly #listeners = new Set<RecordListener>();
  #lastLabel = 0;
  #sequence = 0n;

  constructor(options: { readonly clock: SandboxClock }) {
    this.#clock = options.clock;
  }

  get actions(): readonly string[] {
    return [...this.#handlers.keys()];
  }

  async handle(request: ApiRequest): Promise<Params> {
    const handler = this.#handlers.get(request.action);
    if (handler) return handler(request.params);
    throw new AwsError('UnknownOperationException', `DynamoDB Streams has no operation ${request.action}`);
  }

  /** Opens a stream; a table that had one before gets a new stream with a new ARN. */
  open(schema: Schema, viewType: StreamViewType): StreamLog {
    const now = this.#clock.now();
    this.#lastLabel = Math.max(now, this.#lastLabel + 1);
    const label = new Date(this.#lastLabel).toISOString().slice(0, -1);
    const log = new StreamLog(schema, viewType, label, now, () => this.#nextSequenceNumber());
    this.#logs.push(log);
    return log;
  }

  /** Ends the table's stream; what it holds stays readable. */
  end(tableName: string): void {
    const log = this.current(tableName);
    if (log !== undefined) log.enabled = false;
  }

  current(tableName: string): StreamLog | undefined {
    return this.#logs.findLast((log) => log.tableName === tableName && log.enabled);
  }

  append(tableName: string, change: Change): void {
    const appended = this.current(tableName)?.append(change, this.#clock.now());
    if (appended === undefined) return;
    for (const listener of this.#listeners) listener(tableName, appended.shardId, appended.record);
  }

  /** Shard ids of the table's stream. Throws `ResourceNotFoundException` for a table without one. */
  shards(tableName: string): readonly string[] {
    return this.#enabled(tableName)
      .shards()
      .map((shard) => shard.id);
  }

  /** Records from a position on (0: the oldest kept), at most `limit`, and the position to go on from. */
  read(
    tableName: string,
    shardId: string,
    fromPosition: number,
    limit: number,
  ): { readonly records: readonly StreamRecord[]; readonly nextPosition: number } {
    return this.#enabled(tableName).read(shardId, fromPosition, limit);
  }

  /** The position behind the newest record: where a reader with starting position LATEST begins. */
  latest(tableName: string, shardId: string): number {
    return this.#enabled(tableName).end(shardId);
  }

  /** Returns what ends the subscription. */
  onRecord(listener: RecordListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #enabled(tableName: string): StreamLog {
    const log = this.current(tableName);
    if (log === undefined) throw new AwsError('ResourceNotFoundException', `Table ${tableName} has no stream`);
    return log;
  }

  /** At least 21 digits, as in DynamoDB, and equally long, so that the order of text is the order of numbers. */
  #nextSequenceNumber(): string {
    this.#sequence += 1n;
    return String(100_000_000_000_000_000_000n + this.#sequence);
  }

  #listStreams({ TableName, Limit, ExclusiveStartStreamArn }: Params): Params {
    const logs = this.#logs.filter((log) => TableName === undefined || log.tableName === TableName);
    const start = logs.findIndex((log) => log.arn === ExclusiveStartStreamArn) + 1;
    const page = logs.slice(start, start + limitOf(Limit, defaultLimit));
    return {
      Streams: page.map((log) => ({ StreamArn: log.arn, TableName: log.tableName, StreamLabel: log.label })),
      ...(start + page.length < logs.length ? { LastEvaluatedStreamArn: page.at(-1)?.arn } : {}),
    };
  }

  #describeStream({ StreamArn, Limit, ExclusiveStartShardId }: Params): Params {
    const log = this.#byArn(StreamArn);
    const shards = log.shards();
    const start = shards.findIndex((shard) => shard.id === ExclusiveStartShardId) + 1;
    const page = shards.slice(start, start + limitOf(Limit, defaultLimit));
    return {
      StreamDescription: {
        StreamArn: log.arn,
        StreamLabel: log.label,
        StreamStatus: log.enabled ? 'ENABLED' : 'DISABLED',
        StreamViewType: log.viewType,
        CreationRequestDateTime: log.createdAt / 1000,
        TableName: log.tableName,
        KeySchema: log.schema.KeySchema,
        Shards: page.map((shard) => ({
          ShardId: shard.id,
          SequenceNumberRange: { StartingSequenceNumber: shard.firstSequenceNumber },
        })),
        ...(start + page.length < shards.length ? { LastEvaluatedShardId: page.at(-1)?.id } : {}),
      },
    };
  }

  #getShardIterator(params: Params): Params {
    const log = this.#byArn(params['StreamArn']);
    const shardId = String(params['ShardId']);
    const position = startOf(log, shardId, params);
    const at = { streamArn: log.arn, shardId, position };
    return { ShardIterator: writeShardIterator(at, this.#clock.now()) };
  }

  #getRecords({ ShardIterator, Limit }: Params): Params {
    const now = this.#clock.now();
    const { streamArn, shardId, position } = readShardIterator(ShardIterator, now);
    const log = this.#byArn(streamArn);
    const { records, nextPosition } = log.read(shardId, position, limitOf(Limit, maxRecords));
    const ended = !log.enabled && nextPosition >= log.end(shardId);
    return {
      Records: records.map(apiRecord),
      ...(ended ? {} : { NextShardIterator: writeShardIterator({ streamArn, shardId, position: nextPosition }, now) }),
    };
  }

  #byArn(arn: unknown): StreamLog {
    const log = this.#logs.find((candidate) => candidate.arn === arn);
    if (log === undefined) {
      throw new AwsError('ResourceNotFoundException', `Requested resource not found: Stream: ${arn} not found`);
    }
    return log;
  }
}

function limitOf(limit: unknown, most: number): number {
  if (limit === undefined) return most;
  if (typeof limit !== 'number' || limit < 1) {
    throw new AwsError('ValidationException', 'Limit must be a number greater than 0');
  }
  return Math.min(limit, most);
}

function startOf(log: StreamLog, shardId: string, { ShardIteratorType, SequenceNumber }: Params): number {
  const end = log.end(shardId);
  const sequenceNumber = (): bigint => {
    if (typeof SequenceNumber === 'string' && /^\d+$/.test(SequenceNumber)) return BigInt(SequenceNumber);
    throw new AwsError('ValidationException', `${ShardIteratorType} needs a SequenceNumber`);
  };
  switch (ShardIteratorType) {
    case 'TRIM_HORIZON':
      return 0;
    case 'LATEST':
      return end;
    case 'AT_SEQUENCE_NUMBER':
      return log.positionOf(shardId, sequenceNumber());
    case 'AFTER_SEQUENCE_NUMBER':
      return log.positionOf(shardId, sequenceNumber() + 1n);
    default:
      throw new AwsError('ValidationException', `Invalid ShardIteratorType: ${ShardIteratorType}`);
  }
}

/** The API leaves the stream's ARN out and spells the identity's members with capitals; Lambda's mapping does neither. */
function apiRecord({ eventSourceARN: _, userIdentity, ...record }: StreamRecord): Params {
  if (userIdentity === undefined) return record;
  return { ...record, userIdentity: { Type: userIdentity.type, PrincipalId: userIdentity.principalId } };
}
