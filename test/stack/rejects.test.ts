/** The queue of rejects on two SQS that others wrote. */
import { randomUUID } from 'node:crypto';
import { after, type TestContext, test } from 'node:test';
import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { queueClient } from '../../shared/aws/clients.ts';
import { sqsRejects } from '../../shared/aws/rejects.ts';
import { takeAll } from '../contract/queue-reader.ts';
import { type RejectsSubject, runRejectsContract } from '../contract/rejects-contract.ts';
import { type Difference, differencesOf } from './differences.ts';
import { credentials, region, startMiniStack } from './ministack.ts';
import { startMoto } from './moto.ts';
import { makeQueue } from './queue.ts';
import { versionOf } from './third-parties.ts';

const servers = { moto: await startMoto(), ministack: await startMiniStack() };
after(() => Promise.all(Object.values(servers).map((server) => server.close())));

for (const [name, { url }] of Object.entries(servers)) {
  const version = await versionOf(name);
  test(`SQS of ${version}`, (t) => t.diagnostic(`ran on ${version}`));
  const differs = differencesOf(name as Difference['party'], 'rejects');
  runRejectsContract(`rejects on ${version}`, (t) => startRejects(t, url), differs);
}

async function startRejects(t: TestContext, endpoint: string): Promise<RejectsSubject> {
  const client = queueClient({ endpoint, region, credentials });
  const { url } = await makeQueue(client, randomUUID());
  const lose = async () => {
    await client.send(new DeleteQueueCommand({ QueueUrl: url }));
  };
  t.after(async () => {
    await lose().catch(() => undefined);
    client.destroy();
  });
  return {
    rejects: sqsRejects({ client, queueUrl: url }),
    bodies: async () => (await takeAll(client, url)).map(({ Body = '' }) => Body),
    loseQueue: lose,
  };
}
