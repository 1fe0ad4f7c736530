/** What lies in a queue. */
import { DeleteMessageCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { OutgoingEvent } from '../../shared/reconcile/ports.ts';

/** Takes every message that the queue holds, for good. */
export async function takeAll(sqs: SQSClient, QueueUrl: string): Promise<Message[]> {
  const taken: Message[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) return taken;
    taken.push(...Messages);
    for (const { ReceiptHandle } of Messages) await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  }
}

/** What the publisher was given, of a message that a rule put into its queue. */
export function outgoingEvent({ Body = '' }: Message): OutgoingEvent {
  const { 'detail-type': detailType, detail } = JSON.parse(Body);
  return { detailType, detail };
}
