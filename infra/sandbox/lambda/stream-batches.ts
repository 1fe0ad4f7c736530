import { randomUUID } from 'node:crypto';
import type { AlarmClock } from '../clock.ts';
import type { StreamRecord } from '../dynamodb/stream-record.ts';
import type { MappingModel } from '../template/mappings.ts';
import type { SendToQueue } from './asynchronous.ts';
import { type BatchResult, batchResult } from './batch-result.ts';
import type { FunctionPool } from './function-pool.ts';
import type { Outcome } from './function-process.ts';
import type { Deliveries } from './queue-poller.ts';

export interface StreamBatchOptions {
  readonly mapping: MappingModel;
  readonly pool: Pick<FunctionPool, 'invoke' | 'model'>;
  readonly clock: AlarmClock;
  readonly send: SendToQueue;
  readonly deliveries: Deliveries;
  /** The first wait before a failed batch is tried again, in ms; each further one is twice as long, up to half a minute. */
  readonly retryMs: number;
  readonly isStopped: () => boolean;
}

interface Batch {
  readonly records: readonly StreamRecord[];
  /** How often its first record has failed. */
  readonly attempts: number;
}

const longestRetryMs = 30_000;

/**
 * Gets a batch of one shard done as Lambda does: tries again while the function fails, from the first failed record if
 * the function names it, in halves if the mapping bisects; a batch out of attempts or too old goes to the on-failure
 * destination, and the shard goes on.
 */
export async function processBatch(
  shardId: string,
  records: readonly StreamRecord[],
  options: StreamBatchOptions,
): Promise<void> {
  const { mapping, clock } = options;
  let rest: readonly Batch[] = [{ records, attempts: 0 }];
  for (let batch = rest[0]; batch && !options.isStopped(); batch = rest[0]) {
    const later = rest.slice(1);
    const fresh = batch.records.filter((record) => !isTooOld(record, mapping, clock.now()));
    if (fresh.length < batch.records.length) {
      const old = batch.records.filter((record) => !fresh.includes(record));
      giveUp(shardId, old, { condition: 'RecordAgeExceeded', attempts: batch.attempts }, options);
      rest = fresh.length > 0 ? [{ ...batch, records: fresh }, ...later] : later;
      continue;
    }
    const { outcome, result } = await invoke(batch.records, options);
    const failed = remainder(batch, result, mapping);
    const spent = failed.find(({ attempts }) => mapping.retries >= 0 && attempts > mapping.retries);
    if (spent)
      giveUp(
        shardId,
        spent.records,
        { condition: 'RetryAttemptsExhausted', attempts: spent.attempts, outcome },
        options,
      );
    rest = [...failed.filter((one) => one !== spent), ...later];
    if (failed.length > 0 && !spent) await pause(failed[0]?.attempts ?? 1, options);
  }
}

/** What is left of a batch: nothing, or one part or two, in order. */
function remainder({ records, attempts }: Batch, result: BatchResult, mapping: MappingModel): readonly Batch[] {
  if (result === 'done') return [];
  if (result !== 'failed') {
    // The lowest failed sequence number is the checkpoint: what comes after it is delivered again, failed or not.
    const first = records.findIndex((record) => result.has(record.dynamodb.SequenceNumber));
    return [{ records: records.slice(first), attempts: first > 0 ? 1 : attempts + 1 }];
  }
  if (!mapping.bisects || records.length < 2) return [{ records, attempts: attempts + 1 }];
  // Splitting does not count as an attempt.
  const middle = Math.ceil(records.length / 2);
  return [records.slice(0, middle), records.slice(middle)].map((half) => ({ records: half, attempts }));
}

async function invoke(
  records: readonly StreamRecord[],
  { mapping, pool, deliveries }: StreamBatchOptions,
): Promise<{ outcome: Outcome; result: BatchResult }> {
  const identifiers = records.map((record) => record.dynamodb.SequenceNumber);
  for (let delivery = 0; ; delivery++) {
    const outcome = await pool.invoke({ Records: records });
    const result = batchResult(outcome, mapping.reportsItemFailures, identifiers);
    if (result !== 'done' || !deliveries.twice || delivery > 0) return { outcome, result };
  }
}

async function pause(attempts: number, { clock, retryMs }: StreamBatchOptions): Promise<void> {
  const wait = Math.min(retryMs * 2 ** Math.max(0, attempts - 1), longestRetryMs);
  await new Promise<void>((resolve) => clock.at(clock.now() + wait, resolve));
}

function isTooOld(record: StreamRecord, mapping: MappingModel, now: number): boolean {
  // A stream keeps its records for a day whatever the mapping says.
  const limit = mapping.maximumAgeSeconds < 0 ? 86_400 : mapping.maximumAgeSeconds;
  return now / 1000 - record.dynamodb.ApproximateCreationDateTime > limit;
}

/** The record's form: Lambda's "invocation record" of a stream, which names the records and does not hold them. */
function giveUp(
  shardId: string,
  records: readonly StreamRecord[],
  end: { condition: string; attempts: number; outcome?: Outcome },
  { mapping, pool, clock, send }: StreamBatchOptions,
): void {
  if (mapping.onFailureArn === undefined) return;
  const [first] = records;
  const last = records.at(-1);
  const arrival = (record: StreamRecord | undefined) =>
    new Date((record?.dynamodb.ApproximateCreationDateTime ?? 0) * 1000).toISOString();
  const body = {
    version: '1.0',
    timestamp: new Date(clock.now()).toISOString(),
    requestContext: {
      requestId: end.outcome?.requestId ?? randomUUID(),
      functionArn: pool.model.arn,
      condition: end.condition,
      approximateInvokeCount: end.attempts,
    },
    responseContext: {
      statusCode: 200,
      executedVersion: '$LATEST',
      ...(end.outcome?.functionError && { functionError: end.outcome.functionError }),
    },
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: first?.dynamodb.SequenceNumber,
      endSequenceNumber: last?.dynamodb.SequenceNumber,
      approximateArrivalOfFirstRecord: arrival(first),
      approximateArrivalOfLastRecord: arrival(last),
      batchSize: records.length,
      streamArn: first?.eventSourceARN,
    },
  };
  send(mapping.onFailureArn, JSON.stringify(body));
}
