/** The publisher and what it reaches, on two EventBridges that others wrote: with the template's rule and its queue. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, type TestContext, test } from 'node:test';
import {
  DeleteRuleCommand,
  type EventBridgeClient,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { DeleteQueueCommand } from '@aws-sdk/client-sqs';
import { functionsOf } from '../../infra/sandbox/template/functions.ts';
import { rulesOf } from '../../infra/sandbox/template/rules.ts';
import { readStack } from '../../infra/sandbox/template/stack.ts';
import { eventsClient, queueClient } from '../../shared/aws/clients.ts';
import { eventBridgePublisher } from '../../shared/aws/publisher.ts';
import { present } from '../contract/ec2-bench.ts';
import { type EventBusSubject, runEventBusContract } from '../contract/event-bus-contract.ts';
import { network, type PublisherSubject, runPublisherContract } from '../contract/publisher-contract.ts';
import { outgoingEvent, takeAll } from '../contract/queue-reader.ts';
import { type Difference, differencesOf } from './differences.ts';
import { credentials, region, startMiniStack } from './ministack.ts';
import { startMoto } from './moto.ts';
import { makeQueue, type Queue } from './queue.ts';
import { checkout, versionOf } from './third-parties.ts';

const servers = { moto: await startMoto(), ministack: await startMiniStack() };
after(() => Promise.all(Object.values(servers).map((server) => server.close())));

const stack = readStack(readFileSync(`${checkout}infra/template.yaml`, 'utf8'), {
  stackName: 'leaseway',
  parameters: { RouteTableIds: 'rtb-1', NetworkName: network },
  endpoint: 'http://127.0.0.1',
});
const rule = present(rulesOf(stack, functionsOf(stack, '.')).find((each) => each.logicalId === 'LeaseChangeRule'));

for (const [name, { url }] of Object.entries(servers)) {
  const party = name as Difference['party'];
  const version = await versionOf(party);
  test(`EventBridge of ${version}`, (t) => t.diagnostic(`ran on ${version}`));
  const make = (t: TestContext) => startBus(t, url);
  runPublisherContract(`publisher on ${version}`, make, differencesOf(party, 'publisher'));
  runEventBusContract(`bus of ${version}`, make, differencesOf(party, 'bus'));
}

async function startBus(t: TestContext, endpoint: string): Promise<PublisherSubject & EventBusSubject> {
  const options = { endpoint, region, credentials };
  const [events, sqs] = [eventsClient(options), queueClient(options)];
  const id = randomUUID();
  const queue = await makeQueue(sqs, `${id}.fifo`, { FifoQueue: 'true', ContentBasedDeduplication: 'true' });
  const dead = await makeQueue(sqs, `${id}-dead-letters`);
  const made = { rule: id, queue, dead };
  await makeRule(events, made, JSON.stringify(rule.pattern));
  t.after(async () => {
    await removeRule(events, id);
    for (const QueueUrl of [queue.url, dead.url]) {
      await sqs.send(new DeleteQueueCommand({ QueueUrl })).catch(() => undefined);
    }
    events.destroy();
    sqs.destroy();
  });
  const messages = () => takeAll(sqs, queue.url);
  return {
    publisher: eventBridgePublisher({ client: events, busName: 'default' }),
    landed: async () => (await messages()).map(outgoingEvent),
    messages,
    async deliverTwice() {
      // No call delivers twice. Two events, each with an id of its own, in the words of a rule that leaves the id out do.
      const again = `${id}-again`;
      await makeRule(events, { ...made, rule: again }, JSON.stringify({ source: [again] }), '{"the": "same"}');
      const entry = { Source: again, DetailType: 'Lease Change', Detail: '{}' };
      await events.send(new PutEventsCommand({ Entries: [entry, entry] }));
      await removeRule(events, again);
    },
    async loseQueue() {
      await sqs.send(new DeleteQueueCommand({ QueueUrl: queue.url }));
    },
    deadLetters: () => takeAll(sqs, dead.url),
  };
}

/** A rule before the queue, with the target as the template has it. */
async function makeRule(
  events: EventBridgeClient,
  { rule: Rule, queue, dead }: { rule: string; queue: Queue; dead: Queue },
  EventPattern: string,
  template?: string,
): Promise<void> {
  await events.send(new PutRuleCommand({ Name: Rule, EventPattern }));
  const target = present(rule.targets[0]);
  await events.send(
    new PutTargetsCommand({
      Rule,
      Targets: [
        {
          Id: 'queue',
          Arn: queue.arn,
          ...(template !== undefined && { InputTransformer: { InputTemplate: template } }),
          SqsParameters: { MessageGroupId: target.messageGroupId },
          DeadLetterConfig: { Arn: dead.arn },
          RetryPolicy: {
            MaximumRetryAttempts: target.retries,
            MaximumEventAgeInSeconds: target.maximumAgeSeconds,
          },
        },
      ],
    }),
  );
}

async function removeRule(events: EventBridgeClient, Rule: string): Promise<void> {
  await events.send(new RemoveTargetsCommand({ Rule, Ids: ['queue'] }));
  await events.send(new DeleteRuleCommand({ Name: Rule }));
}
