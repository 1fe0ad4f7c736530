import { flag, isRecord, list, number, type Params, record, text } from '../params.ts';
import { checkProperties } from './properties.ts';
import type { Resource, Stack } from './stack.ts';

export interface QueueModel {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  readonly fifo: boolean;
  readonly contentBasedDeduplication: boolean;
  readonly visibilitySeconds: number;
  readonly delaySeconds: number;
  readonly receiveWaitSeconds: number;
  readonly retentionSeconds: number;
  readonly maximumBytes: number;
  readonly redrive?: { readonly deadLetterArn: string; readonly maxReceiveCount: number } | undefined;
  /** Who may send; without one everybody of the account and every rule may. */
  readonly policy?: Params | undefined;
  /** Attributes that are shown and change nothing. */
  readonly inert: Readonly<Record<string, string>>;
}

const known = [
  'QueueName',
  'FifoQueue',
  'ContentBasedDeduplication',
  'VisibilityTimeout',
  'DelaySeconds',
  'ReceiveMessageWaitTimeSeconds',
  'MessageRetentionPeriod',
  'MaximumMessageSize',
  'RedrivePolicy',
  'RedriveAllowPolicy',
  'SqsManagedSseEnabled',
  'KmsMasterKeyId',
  'KmsDataKeyReusePeriodSeconds',
  'Tags',
];

/** The queues of the template, with the service's defaults filled in. */
export function queuesOf(stack: Stack): readonly QueueModel[] {
  const policies = stack.resources.filter((resource) => resource.type === 'AWS::SQS::QueuePolicy');
  return stack.resources
    .filter((resource) => resource.type === 'AWS::SQS::Queue')
    .map((resource) => {
      const own = policies.find(({ properties }) =>
        urlsOf(properties).some((url) => url.endsWith(`/${resource.name}`)),
      );
      const policy = own && record(own.properties, 'PolicyDocument');
      return { ...queueOf(resource), ...(policy && { policy }) };
    });
}

const urlsOf = (properties: Params) => list(properties, 'Queues').map(String);

function queueOf({ logicalId, name, arn, properties }: Resource): QueueModel {
  checkProperties(logicalId, properties, known);
  const redrive = redriveOf(properties);
  return {
    logicalId,
    name,
    arn,
    fifo: flag(properties, 'FifoQueue'),
    contentBasedDeduplication: flag(properties, 'ContentBasedDeduplication'),
    visibilitySeconds: number(properties, 'VisibilityTimeout') ?? 30,
    delaySeconds: number(properties, 'DelaySeconds') ?? 0,
    receiveWaitSeconds: number(properties, 'ReceiveMessageWaitTimeSeconds') ?? 0,
    retentionSeconds: number(properties, 'MessageRetentionPeriod') ?? 4 * 86_400,
    maximumBytes: number(properties, 'MaximumMessageSize') ?? 1_048_576,
    ...(redrive && { redrive }),
    inert: {},
  };
}

function redriveOf(properties: Params): QueueModel['redrive'] {
  const given = properties['RedrivePolicy'];
  const policy = typeof given === 'string' ? JSON.parse(given) : given;
  if (!isRecord(policy)) return undefined;
  const deadLetterArn = text(policy, 'deadLetterTargetArn');
  const maxReceiveCount = number(policy, 'maxReceiveCount');
  if (deadLetterArn === undefined || maxReceiveCount === undefined) return undefined;
  return { deadLetterArn, maxReceiveCount };
}

/** ARN of the queue in a `DeadLetterConfig` or `DeadLetterQueue` of a resource. */
export function deadLetterArn(properties: Params, key = 'DeadLetterConfig'): string | undefined {
  const config = record(properties, key);
  return config && (text(config, 'Arn') ?? text(config, 'TargetArn'));
}
