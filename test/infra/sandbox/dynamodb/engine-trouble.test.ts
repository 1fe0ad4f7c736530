import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { guardedStore } from '../../../../infra/sandbox/dynamodb/guarded-store.ts';
import { patientAnswer } from '../../../../infra/sandbox/dynamodb/patient-answer.ts';
import { startDynamoDb } from './sandbox-dynamodb.ts';

const TableName = 'leases';
const Key = { pk: 'p', sk: 's' };

test('trouble inside the engine is an InternalServerError', async (t) => {
  const { documents, dynamodb } = await startDynamoDb(t);
  await dynamodb.close();
  for (const command of [new GetCommand({ TableName, Key }), new PutCommand({ TableName, Item: Key })]) {
    await assert.rejects(documents.send(command as GetCommand), (error: Error & { $metadata?: object }) => {
      assert.equal(error.name, 'InternalServerError');
      assert.partialDeepStrictEqual(error.$metadata, { httpStatusCode: 500 });
      return true;
    });
  }
});

test('what is thrown in a callback of the store reaches its guard instead of ending the process', async (t) => {
  const troubles: unknown[] = [];
  const store = guardedStore((trouble) => troubles.push(trouble));
  t.after(() => store.db.close());
  const odd = new Error('an odd expression');
  const throwing = () => {
    throw odd;
  };
  const items = store.getItemDb(TableName);
  await new Promise<void>((resolve) => {
    items.put('key', { pk: { S: 'p' } }, () => {
      resolve();
      throwing();
    });
  });
  const values = items.createValueStream();
  values.on('data', throwing);
  await once(values, 'end');
  assert.deepEqual(troubles, [odd, odd]);
});

test('a silent, a failing and a throwing call all end', async () => {
  await assert.rejects(
    patientAnswer(1, () => undefined),
    { message: 'no answer in 1 ms' },
  );
  await assert.rejects(
    patientAnswer(60_000, (done) => done(new Error('failed'))),
    { message: 'failed' },
  );
  await assert.rejects(
    patientAnswer(60_000, (_done, fail) => fail(new Error('elsewhere'))),
    { message: 'elsewhere' },
  );
  await assert.rejects(
    patientAnswer(60_000, () => {
      throw new Error('thrown');
    }),
    { message: 'thrown' },
  );
  assert.equal(await patientAnswer<number>(60_000, (done) => done(null, 7)), 7);
});
