/** What `CreateQueue` and `SetQueueAttributes` say of a queue, refused where SQS refuses it. */
import { checkQueuePolicy } from '../iam/queue-policy.ts';
import { isRecord, number, type Params, text } from '../params.ts';
import { AwsError, sandboxAccount, sandboxRegion } from '../service.ts';
import type { QueueModel } from '../template/queues.ts';

type QueueByArn = (arn: string) => { readonly model: QueueModel } | undefined;

/** Least and most of the attributes that are numbers. */
const numbers = {
  DelaySeconds: { member: 'delaySeconds', least: 0, most: 900 },
  MaximumMessageSize: { member: 'maximumBytes', least: 1024, most: 1_048_576 },
  MessageRetentionPeriod: { member: 'retentionSeconds', least: 60, most: 1_209_600 },
  ReceiveMessageWaitTimeSeconds: { member: 'receiveWaitSeconds', least: 0, most: 20 },
  VisibilityTimeout: { member: 'visibilitySeconds', least: 0, most: 43_200 },
} as const;

/** Kept and shown; they change nothing here. */
export const inert = [
  'DeduplicationScope',
  'FifoThroughputLimit',
  'KmsDataKeyReusePeriodSeconds',
  'KmsMasterKeyId',
  'RedriveAllowPolicy',
  'SqsManagedSseEnabled',
];

const plainName = /^[\w-]{1,80}$/;
const fifoName = /^[\w-]{1,75}\.fifo$/;

/** A queue with the service's defaults. Throws for a name that does not fit its kind. */
export function newQueue(name: string, attributes: Params): QueueModel {
  const fifo = attributes['FifoQueue'] === 'true';
  if (attributes['FifoQueue'] === 'false') throw unknownAttribute('FifoQueue');
  if (fifo && !fifoName.test(name)) {
    throw invalidParameter(
      'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.',
    );
  }
  if (!fifo && !plainName.test(name)) {
    throw invalidParameter('Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length.');
  }
  return {
    logicalId: name,
    name,
    arn: `arn:aws:sqs:${sandboxRegion}:${sandboxAccount}:${name}`,
    fifo,
    contentBasedDeduplication: false,
    visibilitySeconds: 30,
    delaySeconds: 0,
    receiveWaitSeconds: 0,
    retentionSeconds: 4 * 86_400,
    maximumBytes: 1_048_576,
    inert: {},
  };
}

/** The queue with the attributes given; those not given stay. */
export function withAttributes(model: QueueModel, attributes: Params, byArn: QueueByArn): QueueModel {
  let changed = model;
  for (const [name, value] of Object.entries(attributes)) {
    changed = { ...changed, ...settingOf(changed, name, String(value), byArn) };
  }
  return changed;
}

/** The names that make a difference between two queues. */
export function differingAttribute(model: QueueModel, attributes: Params, byArn: QueueByArn): string | undefined {
  return Object.entries(attributes).find(([name, value]) => {
    const changed = withAttributes(model, { [name]: value }, byArn);
    return JSON.stringify(changed) !== JSON.stringify(model);
  })?.[0];
}

function settingOf(model: QueueModel, name: string, value: string, byArn: QueueByArn): Partial<QueueModel> {
  if (Object.hasOwn(numbers, name)) {
    const { member, least, most } = numbers[name as keyof typeof numbers];
    const given = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (!(given >= least && given <= most)) throw invalidAttribute(name);
    return { [member]: given };
  }
  if (inert.includes(name)) return { inert: { ...model.inert, [name]: value } };
  switch (name) {
    case 'FifoQueue':
      if (value !== String(model.fifo)) throw invalidAttribute(name);
      return {};
    case 'ContentBasedDeduplication':
      if (!model.fifo) throw unknownAttribute(name);
      if (value !== 'true' && value !== 'false') throw invalidAttribute(name);
      return { contentBasedDeduplication: value === 'true' };
    case 'RedrivePolicy':
      return { redrive: redriveOf(model, value, byArn) };
    case 'Policy':
      return { policy: policyOf(value) };
    default:
      throw unknownAttribute(name);
  }
}

function redriveOf(model: QueueModel, value: string, byArn: QueueByArn): QueueModel['redrive'] {
  if (value === '') return undefined;
  const refuse = (reason: string) =>
    invalidParameter(`Value ${value} for parameter RedrivePolicy is invalid. Reason: ${reason}`);
  const policy = parsed(value);
  if (!isRecord(policy)) throw refuse('Redrive policy is not a valid JSON map.');
  const deadLetterArn = text(policy, 'deadLetterTargetArn');
  const maxReceiveCount = number(policy, 'maxReceiveCount');
  if (deadLetterArn === undefined) {
    throw refuse('Redrive policy does not contain mandatory attribute: deadLetterTargetArn.');
  }
  if (maxReceiveCount === undefined) {
    throw refuse('Redrive policy does not contain mandatory attribute: maxReceiveCount.');
  }
  if (!Number.isInteger(maxReceiveCount) || maxReceiveCount < 1 || maxReceiveCount > 1000) {
    throw refuse(
      `Invalid value for maxReceiveCount: ${maxReceiveCount}, valid values are from 1 to 1000 both inclusive.`,
    );
  }
  const deadLetter = byArn(deadLetterArn);
  if (deadLetter === undefined) throw refuse('Dead letter target does not exist.');
  if (deadLetter.model.fifo !== model.fifo) throw refuse('Dead-letter queue must be same type of queue as the source.');
  return { deadLetterArn, maxReceiveCount };
}

function policyOf(value: string): QueueModel['policy'] {
  if (value === '') return undefined;
  const policy = parsed(value);
  try {
    if (isRecord(policy)) {
      checkQueuePolicy(policy);
      return policy;
    }
  } catch (error) {
    const why = error instanceof Error ? ` ${error.message}` : '';
    throw new AwsError('InvalidAttributeValue', `Invalid value for the parameter Policy.${why}`);
  }
  throw invalidAttribute('Policy');
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

export const unknownAttribute = (name: string) => new AwsError('InvalidAttributeName', `Unknown Attribute ${name}.`);

const invalidAttribute = (name: string) =>
  new AwsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);

const invalidParameter = (message: string) => new AwsError('InvalidParameterValue', message);
