import type { Activity } from '../activity.ts';
import { compileFilters, type Matcher } from '../events/pattern.ts';
import { sandboxRegion } from '../service.ts';
import { type Message, md5, systemAttributes } from '../sqs/message.ts';
import type { Queue } from '../sqs/queue.ts';
import type { MappingModel } from '../template/mappings.ts';
import { batchResult } from './batch-result.ts';
import type { FunctionPool } from './function-pool.ts';

/** Whether every batch is delivered a second time after it was done, as at-least-once delivery may. */
export interface Deliveries {
  twice: boolean;
}

export interface QueuePollerOptions {
  readonly mapping: MappingModel;
  readonly queue: Queue;
  readonly pool: FunctionPool;
  readonly activity: Activity;
  readonly deliveries: Deliveries;
}

/** What Lambda begins with for a standard queue. */
const defaultConcurrency = 5;

/**
 * Feeds a function from a queue: what it did is deleted, what failed comes back when its visibility time-out is over
 * (Lambda does not shorten it), until the queue's redrive policy has enough. A FIFO group is never in two batches.
 */
export class QueuePoller {
  readonly #options: QueuePollerOptions;
  readonly #matches: Matcher;
  readonly #cancel: () => void;
  #batches = 0;
  #stopped = false;

  constructor(options: QueuePollerOptions) {
    const { mapping, queue, activity } = options;
    this.#options = options;
    this.#matches = compileFilters(mapping.filters, mapping.logicalId);
    this.#cancel = queue.onChange(() => this.#poll());
    activity.watch(() => {
      const { length } = queue.messages;
      return length > 0 && !this.#stopped ? `${length} messages in ${queue.model.name}` : undefined;
    });
    this.#poll();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #poll(): void {
    const { mapping, queue, activity } = this.#options;
    const limit = mapping.maximumConcurrency ?? defaultConcurrency;
    while (!this.#stopped && this.#batches < limit) {
      const messages = queue.receive(Math.min(mapping.batchSize, 10));
      if (messages.length === 0) break;
      this.#batches++;
      const end = activity.begin(`batch of ${mapping.logicalId}`);
      void this.#deliver(messages).finally(() => {
        this.#batches--;
        this.#poll();
        end();
      });
    }
    activity.poke();
  }

  async #deliver(messages: readonly Message[]): Promise<void> {
    const { queue, deliveries } = this.#options;
    const wanted = messages.filter((message) => this.#matches({ ...message, body: bodyOf(message) }));
    const unwanted = messages.filter((message) => !wanted.includes(message));
    const done = wanted.length === 0 ? [] : await this.#invoke(wanted);
    const again = deliveries.twice && done.length > 0 ? await this.#invoke(done) : done;
    for (const { receiptHandle } of [...unwanted, ...again])
      if (receiptHandle !== undefined) queue.delete(receiptHandle);
  }

  /** The messages that the function did. */
  async #invoke(messages: readonly Message[]): Promise<readonly Message[]> {
    const { mapping, pool, queue } = this.#options;
    const event = { Records: messages.map((message) => queueRecord(message, queue.model.arn)) };
    const identifiers = messages.map(({ messageId }) => messageId);
    const result = batchResult(await pool.invoke(event), mapping.reportsItemFailures, identifiers);
    if (result === 'failed') return [];
    return result === 'done' ? messages : messages.filter(({ messageId }) => !result.has(messageId));
  }
}

/** A filter sees JSON inside the body as JSON. */
function bodyOf({ body }: Message): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function queueRecord(message: Message, arn: string) {
  return {
    messageId: message.messageId,
    receiptHandle: message.receiptHandle,
    body: message.body,
    attributes: systemAttributes(message),
    messageAttributes: message.attributes,
    md5OfBody: md5(message.body),
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: sandboxRegion,
  };
}
