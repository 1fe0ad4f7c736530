import { fileURLToPath } from 'node:url';
import { startSandbox } from '../../../infra/sandbox/sandbox.ts';
import { queueClient } from '../../../shared/aws/clients.ts';
import { sqsRejects } from '../../../shared/aws/rejects.ts';
import { present } from '../../contract/ec2-bench.ts';
import { takeAll } from '../../contract/queue-reader.ts';
import { runRejectsContract } from '../../contract/rejects-contract.ts';

const templateFile = fileURLToPath(new URL('../../../infra/template.yaml', import.meta.url));

runRejectsContract('rejects of SQS', async (t) => {
  const sandbox = await startSandbox({ templateFile, parameters: { RouteTableIds: 'rtb-1' }, functions: false });
  const client = queueClient({
    endpoint: sandbox.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  t.after(async () => {
    client.destroy();
    await sandbox.close();
  });
  const { name } = present(sandbox.sqs.queues.find(({ model }) => model.logicalId === 'RejectsQueue')).model;
  const queueUrl = `${sandbox.url}/123456789012/${name}`;
  return {
    rejects: sqsRejects({ client, queueUrl }),
    bodies: async () => (await takeAll(client, queueUrl)).map(({ Body = '' }) => Body),
    loseQueue: async () =>
      sandbox.fault({ service: 'sqs', action: 'SendMessage', error: 'QueueDoesNotExist', times: 'always' }),
  };
});
