import type { Queue } from './queue.ts';

/** What `GetQueueAttributes` shows; `All` among the names gives every one. */
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
    ...(model.redrive && {
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: model.redrive.deadLetterArn,
        maxReceiveCount: model.redrive.maxReceiveCount,
      }),
    }),
    ...(model.fifo && { FifoQueue: 'true', ContentBasedDeduplication: String(model.contentBasedDeduplication) }),
  };
  const wanted = Object.entries(all).filter(([name]) => names.includes(name) || names.includes('All'));
  return Object.fromEntries(wanted);
}
