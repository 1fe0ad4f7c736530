import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock } from '../../../../infra/sandbox/clock.ts';
import type { StreamRecord } from '../../../../infra/sandbox/dynamodb/stream-record.ts';
import { processBatch } from '../../../../infra/sandbox/lambda/stream-batches.ts';
import type { FunctionModel } from '../../../../infra/sandbox/template/functions.ts';
import type { MappingModel } from '../../../../infra/sandbox/template/mappings.ts';

const mapping: MappingModel = {
  logicalId: 'Mapping',
  functionName: 'f',
  sourceArn: 'arn:aws:dynamodb:eu-central-1:1:table/t/stream/s',
  batchSize: 10,
  filters: [],
  reportsItemFailures: true,
  fromStart: true,
  bisects: true,
  retries: 1,
  maximumAgeSeconds: 60,
  onFailureArn: 'arn:failures',
  bySam: false,
};

const model: FunctionModel = {
  logicalId: 'F',
  name: 'f',
  arn: 'arn:f',
  codeFolder: '/',
  handler: 'a.b',
  timeoutSeconds: 1,
  memoryMegabytes: 128,
  environment: {},
  asynchronous: { retries: 0, maximumAgeSeconds: 60 },
  properties: {},
};

/** A record named by its sequence number. */
function record(sequenceNumber: string, ageSeconds: number, now: number): StreamRecord {
  return {
    eventID: sequenceNumber,
    eventName: 'INSERT',
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: 'eu-central-1',
    eventSourceARN: mapping.sourceArn,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(now / 1000) - ageSeconds,
      Keys: {},
      SequenceNumber: sequenceNumber,
      SizeBytes: 1,
      StreamViewType: 'KEYS_ONLY',
    },
  };
}

/** What the function was given, and what was given up, when `answer` says how it fares with each batch. */
async function run(
  ages: Readonly<Record<string, number>>,
  answer: (batch: string[]) => unknown,
  changes: Partial<MappingModel> = {},
) {
  const clock = createClock();
  const batches: string[][] = [];
  const givenUp: { condition: string; size: number; first: string }[] = [];
  const records = Object.entries(ages).map(([sequenceNumber, age]) => record(sequenceNumber, age, clock.now()));
  await processBatch('shard-1', records, {
    mapping: { ...mapping, ...changes },
    clock,
    retryMs: 0,
    deliveries: { twice: false },
    isStopped: () => false,
    pool: {
      model,
      async invoke(event) {
        const batch = (event as { Records: StreamRecord[] }).Records.map((one) => one.dynamodb.SequenceNumber);
        batches.push(batch);
        const said = answer(batch);
        if (said instanceof Error) return { requestId: 'r', payload: '{}', functionError: 'Unhandled', log: [] };
        return { requestId: 'r', payload: JSON.stringify(said), log: [] };
      },
    },
    send(_arn, body) {
      const { requestContext, DDBStreamBatchInfo } = JSON.parse(body);
      givenUp.push({
        condition: requestContext.condition,
        size: DDBStreamBatchInfo.batchSize,
        first: DDBStreamBatchInfo.startSequenceNumber,
      });
    },
  });
  clock.stop();
  return { batches, givenUp };
}

const failing = (...items: string[]) => ({ batchItemFailures: items.map((itemIdentifier) => ({ itemIdentifier })) });

test('a batch that succeeds is delivered once', async () => {
  for (const answer of [null, {}, { batchItemFailures: [] }, { batchItemFailures: null }]) {
    assert.deepEqual(await run({ a: 0, b: 0 }, () => answer), { batches: [['a', 'b']], givenUp: [] });
  }
});

test('records beyond the age limit are given up without being delivered, the others are', async () => {
  const { batches, givenUp } = await run({ a: 100, b: 90, c: 0 }, () => null);
  assert.deepEqual(batches, [['c']]);
  assert.deepEqual(givenUp, [{ condition: 'RecordAgeExceeded', size: 2, first: 'a' }]);
});

test('the lowest failed record is where the batch begins again', async () => {
  const { batches } = await run({ a: 0, b: 0, c: 0 }, (batch) => (batch.length === 3 ? failing('c', 'b') : null));
  assert.deepEqual(batches, [
    ['a', 'b', 'c'],
    ['b', 'c'],
  ]);
});

test('an identifier of no record, and an empty one, fail the whole batch', async () => {
  for (const identifier of ['x', '']) {
    const { batches } = await run({ a: 0, b: 0 }, (batch) => (batch.length === 2 ? failing(identifier) : null), {
      retries: 5,
    });
    assert.deepEqual(batches, [['a', 'b'], ['a'], ['b']]);
  }
});

test('a record that is reported again and again is given up with all after it, and what is before it is done once', async () => {
  const { batches, givenUp } = await run({ a: 0, b: 0, c: 0 }, (batch) => (batch.includes('b') ? failing('b') : null));
  assert.deepEqual(batches, [
    ['a', 'b', 'c'],
    ['b', 'c'],
  ]);
  assert.deepEqual(givenUp, [{ condition: 'RetryAttemptsExhausted', size: 2, first: 'b' }]);
});

test('a throwing function gets halves, which does not count as an attempt', async () => {
  const { batches, givenUp } = await run({ a: 0, b: 0, c: 0 }, (batch) => (batch.includes('c') ? new Error() : null));
  assert.deepEqual(batches, [['a', 'b', 'c'], ['a', 'b'], ['c'], ['c']]);
  assert.deepEqual(givenUp, [{ condition: 'RetryAttemptsExhausted', size: 1, first: 'c' }]);
});

test('without bisecting the whole batch is tried again and given up', async () => {
  const { batches, givenUp } = await run({ a: 0, b: 0 }, () => new Error(), { bisects: false });
  assert.deepEqual(batches, [
    ['a', 'b'],
    ['a', 'b'],
  ]);
  assert.deepEqual(givenUp, [{ condition: 'RetryAttemptsExhausted', size: 2, first: 'a' }]);
});

test('without item failures asked for, an answer that lists some is a success', async () => {
  const { batches } = await run({ a: 0 }, () => failing('a'), { reportsItemFailures: false });
  assert.deepEqual(batches, [['a']]);
});
