/** A queue at a third party's. */
import { CreateQueueCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { present } from '../contract/ec2-bench.ts';
import { account, region } from './ministack.ts';

export interface Queue {
  readonly url: string;
  readonly arn: string;
}

export async function makeQueue(
  sqs: SQSClient,
  QueueName: string,
  Attributes: Readonly<Record<string, string>> = {},
): Promise<Queue> {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  return { url: present(QueueUrl), arn: `arn:aws:sqs:${region}:${account}:${QueueName}` };
}
