/** The `rejects` queue. */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Rejects } from '../keeper/ports.ts';
import { type Caller, call } from './call.ts';

/** Bytes of a whole message. SQS takes 1 MiB since 2025, a queue may still be set to 256 KiB. */
const mostBytes = 256 * 1024;
/** Of which reason, source and the names around them need little. */
const mostBodyBytes = mostBytes - 16 * 1024;
const mostReasonBytes = 4 * 1024;

export interface RejectsOptions extends Caller {
  readonly client: SQSClient;
  readonly queueUrl: string;
}

export function sqsRejects(options: RejectsOptions): Rejects {
  return {
    put: async ({ source, reason, body }) => {
      const kept = cut(body, mostBodyBytes);
      const message = {
        source: cut(source, mostReasonBytes),
        reason: cut(reason, mostReasonBytes),
        body: kept,
        ...(kept === body ? {} : { cutFrom: body.length }),
      };
      const command = new SendMessageCommand({ QueueUrl: options.queueUrl, MessageBody: asJson(message) });
      await call('SendMessage', options, (http) => options.client.send(command, http));
    },
  };
}

/** The longest beginning whose JSON has at most that many bytes: escapes make up to six of one. */
function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(asJson(text)) <= bytes) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (Buffer.byteLength(asJson(text.slice(0, middle))) <= bytes) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, low);
}

/** SQS refuses U+FFFE and U+FFFF, which JSON need not escape. */
function asJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\ufffe\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16)}`);
}
