import { createHash } from 'node:crypto';
import { isRecord, type Params, text } from '../params.ts';

export interface Message {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: Params;
  /** ms since the epoch */
  readonly sentAt: number;
  readonly senderId: string;
  readonly groupId?: string;
  readonly deduplicationId?: string;
  readonly sequenceNumber?: string;
  /** ms since the epoch from which a receive may take it */
  visibleAt: number;
  receiveCount: number;
  firstReceivedAt?: number;
  /** Handle of the latest receive; undefined while the message waits. */
  receiptHandle?: string;
  cancelAlarm?: () => void;
}

export function md5(value: string): string {
  return createHash('md5').update(value).digest('hex');
}

/**
 * MD5 over message attributes as SQS computes it (names in order; each name, type and value length-prefixed): the
 * SDKs check it.
 */
export function md5OfAttributes(attributes: Params): string | undefined {
  const names = Object.keys(attributes).sort();
  if (names.length === 0) return undefined;
  const hash = createHash('md5');
  const add = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  };
  for (const name of names) {
    const value = attributes[name];
    if (!isRecord(value)) continue;
    add(Buffer.from(name));
    add(Buffer.from(text(value, 'DataType') ?? ''));
    const binary = text(value, 'BinaryValue');
    hash.update(Buffer.from([binary === undefined ? 1 : 2]));
    add(binary === undefined ? Buffer.from(text(value, 'StringValue') ?? '') : Buffer.from(binary, 'base64'));
  }
  return hash.digest('hex');
}

/** The system attributes a receive shows. */
export function systemAttributes(message: Message): Readonly<Record<string, string>> {
  return {
    SenderId: message.senderId,
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt ?? message.sentAt),
    ...(message.groupId !== undefined && { MessageGroupId: message.groupId }),
    ...(message.deduplicationId !== undefined && { MessageDeduplicationId: message.deduplicationId }),
    ...(message.sequenceNumber !== undefined && { SequenceNumber: message.sequenceNumber }),
  };
}
