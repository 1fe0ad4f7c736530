import type { Queue } from './queue.ts';
import { inert, unknownAttribute } from './queue-settings.ts';

/** Those that a queue need not have. */
const optional = ['RedrivePolicy', 'Policy', 'FifoQueue', 'ContentBasedDeduplication'];

/** What `GetQueueAttributes` shows; `All` among the names gives every one. Throws for a name that no queue has. */
export function queueAttributes(queue: Queue, names: readonly string[]): Readonly<Record<string, string>> {
  const { model, messages } = queue;
  const inFlight = messages.filter(
    (message) => message.receiptHandle !== undefined && !queue.isVisible(message),
  ).length;
  const visible = messages.filter((message) => queue.isVisible(message)).length;
  const all: Readonly<Record<string, string>> = {
    QueueArn: model.arn,
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(messages.length - visible - inFlight),
    VisibilityTimeout: String(model.visibilitySeconds),
    DelaySeconds: String(model.delaySeconds),
    ReceiveMessageWaitTimeSeconds: String(model.receiveWaitSeconds),
    MessageRetentionPeriod: String(model.retentionSeconds),
    MaximumMessageSize: String(model.maximumBytes),
    ...model.inert,
    ...(model.policy && { Policy: JSON.stringify(model.policy) }),
    ...(model.redrive && {
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: model.redrive.deadLetterArn,
        maxReceiveCount: model.redrive.maxReceiveCount,
      }),
    }),
    ...(model.fifo && { FifoQueue: 'true', ContentBasedDeduplication: String(model.contentBasedDeduplication) }),
  };
  const stranger = names.find((name) => name !== 'All' && ![...Object.keys(all), ...optional, ...inert].includes(name));
  if (stranger !== undefined) throw unknownAttribute(stranger);
  const wanted = Object.entries(all).filter(([name]) => names.includes(name) || names.includes('All'));
  return Object.fromEntries(wanted);
}
