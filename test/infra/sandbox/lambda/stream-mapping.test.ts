import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { clients, control, fixtureSandbox } from '../with-sandbox.ts';

const sandbox = await fixtureSandbox();
const { dynamodb } = clients(sandbox);
const watcher = sandbox.lambda.pool('fixture-Watcher');
const failures = sandbox.sqs.queues.find(({ model }) => model.logicalId === 'FailuresQueue');

const put = (sk: string, note = 'fine', pk = 'network#blue') =>
  dynamodb.send(
    new PutItemCommand({
      TableName: 'fixture-LeasesTable',
      Item: { pk: { S: pk }, sk: { S: sk }, note: { S: note }, at: { S: String(Math.random()) } },
    }),
  );
/** The sort keys of each batch the function was given, in order. */
async function batches() {
  const count = watcher.invocations;
  const seen = () => watcher.log.filter((line) => line.startsWith('{"saw"'));
  while (seen().length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  return seen().map((line) =>
    JSON.parse(line).saw.Records.map(
      (record: { dynamodb: { Keys: { sk: { S: string } } } }) => record.dynamodb.Keys.sk.S,
    ),
  );
}

beforeEach(async () => {
  await control(sandbox, 'POST', 'deliveries', { twice: false });
  await sandbox.idle();
  // What a function printed arrives after its answer.
  await batches();
  failures?.purge();
  watcher.log.length = 0;
  watcher.invocations = 0;
});

test('records of one item reach the function in order, others pass its filter by', async () => {
  for (const sk of ['lease#1', 'holder#1', 'lease#2', 'config', 'lease#3']) await put(sk);
  await sandbox.idle();
  assert.deepEqual((await batches()).flat(), ['lease#1', 'lease#2', 'lease#3']);
});

test('from the first failed record on a batch is delivered again, then given up, and the shard goes on', async () => {
  await Promise.all([put('lease#1'), put('lease#2', 'poison'), put('lease#3')]);
  await sandbox.idle();
  const given = (await batches()).flat();
  assert.equal(given.filter((sk) => sk === 'lease#1').length, 1, 'what is before the failed one is done');
  assert.equal(given.filter((sk) => sk === 'lease#2').length, 3, 'once and MaximumRetryAttempts: 2');
  const [message, ...more] = failures?.messages ?? [];
  assert.equal(more.length, 0);
  const record = JSON.parse(message?.body ?? '');
  assert.equal(record.requestContext.condition, 'RetryAttemptsExhausted');
  assert.match(record.DDBStreamBatchInfo.streamArn, /table\/fixture-LeasesTable\/stream/);
  await put('lease#4');
  await sandbox.idle();
  assert.ok((await batches()).flat().includes('lease#4'));
});

test('a batch whose function throws is halved until the bad record stands alone', async () => {
  await Promise.all([put('lease#1'), put('lease#2', 'poison-throw'), put('lease#3'), put('lease#4')]);
  await sandbox.idle();
  const given = await batches();
  const succeeded = new Set(given.flat());
  assert.deepEqual([...succeeded].sort(), ['lease#1', 'lease#2', 'lease#3', 'lease#4']);
  assert.deepEqual(given.filter((batch) => batch.includes('lease#2')).at(-1), ['lease#2']);
  const info = JSON.parse(failures?.messages[0]?.body ?? '').DDBStreamBatchInfo;
  assert.equal(info.batchSize, 1);
});

test('on request every record is delivered twice', async () => {
  await control(sandbox, 'POST', 'deliveries', { twice: true });
  await put('lease#1');
  await sandbox.idle();
  assert.deepEqual(await batches(), [['lease#1'], ['lease#1']]);
  assert.equal(failures?.messages.length, 0);
});
