import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startSandbox } from '../../../infra/sandbox/sandbox.ts';
import { eventsClient, queueClient } from '../../../shared/aws/clients.ts';
import { eventBridgePublisher } from '../../../shared/aws/publisher.ts';
import { present } from '../../contract/ec2-bench.ts';
import { type EventBusSubject, runEventBusContract } from '../../contract/event-bus-contract.ts';
import {
  network,
  type PublisherSubject,
  refusedType,
  runPublisherContract,
} from '../../contract/publisher-contract.ts';
import { outgoingEvent, takeAll } from '../../contract/queue-reader.ts';
import { FakePublisher } from '../../fakes/reconcile/publisher.ts';

const templateFile = fileURLToPath(new URL('../../../infra/template.yaml', import.meta.url));

async function embedded(t: TestContext): Promise<PublisherSubject & EventBusSubject> {
  const sandbox = await startSandbox({
    templateFile,
    parameters: { RouteTableIds: 'rtb-1', NetworkName: network },
    functions: false,
  });
  t.after(() => sandbox.close());
  const options = {
    endpoint: sandbox.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  const [events, sqs] = [eventsClient(options), queueClient(options)];
  t.after(() => {
    events.destroy();
    sqs.destroy();
  });
  const taken = async (logicalId: string) => {
    await sandbox.idle();
    const queue = present(sandbox.sqs.queues.find(({ model }) => model.logicalId === logicalId));
    return takeAll(sqs, `${sandbox.url}/123456789012/${queue.model.name}`);
  };
  return {
    publisher: eventBridgePublisher({ client: events, busName: 'default' }),
    landed: async () => (await taken('SyncQueue')).map(outgoingEvent),
    messages: () => taken('SyncQueue'),
    deliverTwice: async () => {
      const detail = { network };
      const event = { source: 'leaseway', detailType: 'Lease Change', time: Date.now(), resources: [], detail };
      const { id } = sandbox.bus.publish(event);
      sandbox.bus.publish(event, id);
    },
    loseQueue: async () => {
      const match = { QueueName: 'leaseway-sync.fifo' };
      sandbox.fault({ service: 'sqs', caller: 'events', match, error: 'QueueDoesNotExist', times: 'always' });
    },
    deadLetters: () => taken('EventsDeadLetterQueue'),
  };
}

runPublisherContract('publisher of EventBridge', embedded);
runEventBusContract('bus of EventBridge', embedded);

runPublisherContract('publisher in memory', async () => {
  const publisher = new FakePublisher();
  publisher.refuses = ({ detailType }) => detailType === refusedType;
  return { publisher, landed: async () => publisher.events };
});
