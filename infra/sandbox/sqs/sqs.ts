import type { AlarmClock } from '../clock.ts';
import { list, number, type Params, record, records, required, text } from '../params.ts';
import { type ApiRequest, AwsError, type Caller, type Service } from '../service.ts';
import type { QueueModel } from '../template/queues.ts';
import { queueUrl } from '../template/resource-types.ts';
import { queueAttributes } from './attributes.ts';
import { type Message, md5, md5OfAttributes, systemAttributes } from './message.ts';
import type { Queue } from './queue.ts';
import { Queues } from './queues.ts';

type Answer = Readonly<Record<string, unknown>>;

/** SQS: the template's queues, and those of callers. */
export class Sqs implements Service {
  readonly name = 'sqs';
  readonly #handlers = new Map<string, (params: Params, caller: Caller) => Answer | Promise<Answer>>([
    ['CreateQueue', (params) => ({ QueueUrl: this.#url(this.#queues.create(required(params, 'QueueName'), params)) })],
    ['DeleteQueue', (params) => done(this.#queues.delete(this.#of(params)))],
    ['ListQueues', (params) => this.#list(params)],
    ['GetQueueUrl', (params) => ({ QueueUrl: this.#url(this.#queues.named(required(params, 'QueueName'))) })],
    [
      'GetQueueAttributes',
      (params) => ({ Attributes: queueAttributes(this.#of(params), names(params, 'AttributeNames')) }),
    ],
    [
      'SetQueueAttributes',
      (params) => done(this.#queues.configure(this.#of(params), record(params, 'Attributes') ?? {})),
    ],
    ['TagQueue', (params) => done(this.#of(params).tag(record(params, 'Tags') ?? {}))],
    ['UntagQueue', (params) => done(this.#of(params).untag(names(params, 'TagKeys')))],
    ['ListQueueTags', (params) => ({ Tags: this.#of(params).tags })],
    ['PurgeQueue', (params) => done(this.#of(params).purge())],
    ['SendMessage', (params, caller) => sent(this.#of(params), params, caller)],
    ['SendMessageBatch', (params, caller) => batch(params, (entry) => sent(this.#of(params), entry, caller))],
    ['ReceiveMessage', (params) => this.#receive(this.#of(params), params)],
    ['DeleteMessage', (params) => done(this.#of(params).delete(required(params, 'ReceiptHandle')))],
    [
      'DeleteMessageBatch',
      (params) => batch(params, (entry) => done(this.#of(params).delete(required(entry, 'ReceiptHandle')))),
    ],
    [
      'ChangeMessageVisibility',
      (params) => {
        const seconds = within(params, 'VisibilityTimeout', mostVisibilitySeconds) ?? 0;
        return done(this.#of(params).changeVisibility(required(params, 'ReceiptHandle'), seconds));
      },
    ],
  ]);
  readonly #queues: Queues;
  readonly #endpoint: string;

  constructor(options: { models: readonly QueueModel[]; clock: AlarmClock; endpoint: string }) {
    this.#queues = new Queues(options.models, options.clock);
    this.#endpoint = options.endpoint;
  }

  get queues(): readonly Queue[] {
    return this.#queues.all;
  }

  byArn(arn: string): Queue | undefined {
    return this.#queues.byArn(arn);
  }

  get actions(): readonly string[] {
    return [...this.#handlers.keys()];
  }

  async handle({ action, params, caller }: ApiRequest): Promise<Answer> {
    const handler = this.#handlers.get(action);
    if (handler) return handler(params, caller);
    throw new AwsError('UnknownOperationException', `The action ${action} is not known to the sandbox's SQS.`);
  }

  async #receive(queue: Queue, params: Params): Promise<Answer> {
    const count = number(params, 'MaxNumberOfMessages') ?? 1;
    if (count < 1 || count > 10) {
      throw new AwsError(
        'InvalidParameterValue',
        `Value ${count} for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided.`,
      );
    }
    const wait = within(params, 'WaitTimeSeconds', 20) ?? queue.model.receiveWaitSeconds;
    const visibility = within(params, 'VisibilityTimeout', mostVisibilitySeconds);
    const messages = await receiveWithin(queue, count, visibility, wait * 1000);
    const wanted = [...names(params, 'AttributeNames'), ...names(params, 'MessageSystemAttributeNames')];
    const named = names(params, 'MessageAttributeNames');
    return messages.length === 0 ? {} : { Messages: messages.map((message) => shown(message, wanted, named)) };
  }

  #list(params: Params): Answer {
    const { queues, nextToken } = this.#queues.list(params);
    return {
      ...(queues.length > 0 && { QueueUrls: queues.map((queue) => this.#url(queue)) }),
      ...(nextToken !== undefined && { NextToken: nextToken }),
    };
  }

  #of(params: Params): Queue {
    return this.#queues.named(required(params, 'QueueUrl'));
  }

  #url(queue: Queue): string {
    return queueUrl(this.#endpoint, queue.model.name);
  }
}

const mostVisibilitySeconds = 43_200;

function within(params: Params, name: string, most: number): number | undefined {
  const value = number(params, name);
  if (value === undefined || (value >= 0 && value <= most)) return value;
  throw new AwsError(
    'InvalidParameterValue',
    `Value ${value} for parameter ${name} is invalid. Reason: Must be >= 0 and <= ${most}, if provided.`,
  );
}

const names = (params: Params, key: string) => list(params, key).map(String);

function done(_nothing: unknown): Answer {
  return {};
}

function sent(queue: Queue, params: Params, caller: Caller): Answer {
  const body = required(params, 'MessageBody');
  const attributes = record(params, 'MessageAttributes') ?? {};
  const groupId = text(params, 'MessageGroupId');
  const deduplicationId = text(params, 'MessageDeduplicationId');
  const delaySeconds = number(params, 'DelaySeconds');
  const { messageId, sequenceNumber } = queue.send({
    body,
    attributes,
    senderId: caller.accessKeyId,
    ...(groupId !== undefined && { groupId }),
    ...(deduplicationId !== undefined && { deduplicationId }),
    ...(delaySeconds !== undefined && { delaySeconds }),
  });
  const attributesMd5 = md5OfAttributes(attributes);
  return {
    MessageId: messageId,
    MD5OfMessageBody: md5(body),
    ...(attributesMd5 !== undefined && { MD5OfMessageAttributes: attributesMd5 }),
    ...(sequenceNumber !== undefined && { SequenceNumber: sequenceNumber }),
  };
}

/** A batch call: an entry that fails is an entry of `Failed`, never the call's error. */
function batch(params: Params, one: (entry: Params) => Answer): Answer {
  const entries = records(params, 'Entries');
  if (entries.length === 0)
    throw new AwsError('EmptyBatchRequest', 'There should be at least one entry in the request.');
  if (entries.length > 10) {
    throw new AwsError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are 10. You have sent ${entries.length}.`,
    );
  }
  const ids = entries.map((entry) => required(entry, 'Id'));
  if (new Set(ids).size < ids.length)
    throw new AwsError('BatchEntryIdsNotDistinct', 'Two or more batch entries have the same Id.');
  const successful: Answer[] = [];
  const failed: Answer[] = [];
  for (const entry of entries) {
    try {
      successful.push({ Id: entry['Id'], ...one(entry) });
    } catch (error) {
      if (!(error instanceof AwsError) || error.code === 'QueueDoesNotExist') throw error;
      failed.push({ Id: entry['Id'], Code: error.code, Message: error.message, SenderFault: true });
    }
  }
  return { Successful: successful, Failed: failed };
}

function shown(message: Message, wanted: readonly string[], named: readonly string[]): Answer {
  const system = Object.entries(systemAttributes(message)).filter(
    ([key]) => wanted.includes(key) || wanted.includes('All'),
  );
  const all = named.includes('All') || named.includes('.*');
  const own = Object.entries(message.attributes).filter(([key]) => all || named.includes(key));
  const attributesMd5 = md5OfAttributes(Object.fromEntries(own));
  return {
    MessageId: message.messageId,
    ReceiptHandle: message.receiptHandle,
    Body: message.body,
    MD5OfBody: md5(message.body),
    ...(system.length > 0 && { Attributes: Object.fromEntries(system) }),
    ...(own.length > 0 && { MessageAttributes: Object.fromEntries(own), MD5OfMessageAttributes: attributesMd5 }),
  };
}

/** Long polling: what is there now, else what arrives within the time (real time, as the client waits in it). */
function receiveWithin(
  queue: Queue,
  count: number,
  visibilitySeconds: number | undefined,
  waitMs: number,
): Promise<readonly Message[]> {
  return new Promise((resolve) => {
    let cancel = () => {};
    let timer: NodeJS.Timeout | undefined;
    const attempt = (last: boolean) => {
      const messages = queue.receive(count, visibilitySeconds);
      if (messages.length === 0 && !last) return false;
      cancel();
      clearTimeout(timer);
      resolve(messages);
      return true;
    };
    if (attempt(waitMs <= 0)) return;
    cancel = queue.onChange(() => attempt(false));
    timer = setTimeout(() => attempt(true), waitMs);
    timer.unref();
  });
}
