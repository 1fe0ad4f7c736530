import { createHash, randomUUID } from 'node:crypto';
import type { AlarmClock } from '../clock.ts';
import type { Params } from '../params.ts';
import { AwsError } from '../service.ts';
import type { QueueModel } from '../template/queues.ts';
import type { Message } from './message.ts';

export interface NewMessage {
  readonly body: string;
  readonly attributes?: Params;
  readonly senderId: string;
  readonly groupId?: string;
  readonly deduplicationId?: string;
  readonly delaySeconds?: number;
}

export interface Sent {
  readonly messageId: string;
  readonly sequenceNumber?: string;
}

/** A second message with the same deduplication id is dropped for so long. */
const deduplicationMs = 300_000;

/** One queue, standard or FIFO, in memory. */
export class Queue {
  #model: QueueModel;
  readonly #clock: AlarmClock;
  readonly #byArn: (arn: string) => Queue | undefined;
  readonly #tags = new Map<string, string>();
  readonly #listeners = new Set<() => void>();
  readonly #seen = new Map<string, Sent & { readonly at: number }>();
  #messages: Message[] = [];
  #sequence = 0n;

  constructor(model: QueueModel, clock: AlarmClock, byArn: (arn: string) => Queue | undefined) {
    this.#model = model;
    this.#clock = clock;
    this.#byArn = byArn;
  }

  get model(): QueueModel {
    return this.#model;
  }

  get tags(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#tags);
  }

  tag(tags: Params): void {
    for (const [key, value] of Object.entries(tags)) this.#tags.set(key, String(value));
  }

  untag(keys: readonly string[]): void {
    for (const key of keys) this.#tags.delete(key);
  }

  /** What is in the queue keeps the times it has. */
  configure(model: QueueModel): void {
    this.#model = model;
  }

  #deadLetter(): Queue | undefined {
    const { redrive } = this.#model;
    return redrive && this.#byArn(redrive.deadLetterArn);
  }

  /** Every message of the queue, in order, in flight ones too. */
  get messages(): readonly Message[] {
    this.#forgetOld();
    return this.#messages;
  }

  isVisible(message: Message): boolean {
    return message.visibleAt <= this.#clock.now();
  }

  /** Told whenever there may be something to receive. Returns the cancellation. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  send(message: NewMessage): Sent {
    const { fifo, contentBasedDeduplication, delaySeconds } = this.model;
    const now = this.#clock.now();
    const size = Buffer.byteLength(message.body);
    if (size > this.model.maximumBytes)
      throw invalid(
        `One or more parameters are invalid. Reason: Message must be shorter than ${this.model.maximumBytes} bytes.`,
      );
    if (!fifo) return this.#add(message, now + (message.delaySeconds ?? delaySeconds) * 1000);
    if (message.groupId === undefined) {
      throw new AwsError('MissingParameter', 'The request must contain the parameter MessageGroupId.');
    }
    const id = message.deduplicationId ?? (contentBasedDeduplication ? sha256(message.body) : undefined);
    if (id === undefined) {
      throw invalid(
        'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
      );
    }
    for (const [key, { at }] of this.#seen) if (at + deduplicationMs <= now) this.#seen.delete(key);
    const before = this.#seen.get(id);
    if (before) return before;
    const sent = this.#add({ ...message, deduplicationId: id }, now + delaySeconds * 1000, this.#nextSequence());
    this.#seen.set(id, { ...sent, at: now });
    return sent;
  }

  #add(message: NewMessage, visibleAt: number, sequenceNumber?: string): Sent {
    const messageId = randomUUID();
    const added: Message = {
      messageId,
      body: message.body,
      attributes: message.attributes ?? {},
      sentAt: this.#clock.now(),
      senderId: message.senderId,
      visibleAt,
      receiveCount: 0,
      ...(message.groupId !== undefined && { groupId: message.groupId }),
      ...(message.deduplicationId !== undefined && { deduplicationId: message.deduplicationId }),
      ...(sequenceNumber !== undefined && { sequenceNumber }),
    };
    this.#messages.push(added);
    this.#wakeAt(added);
    return { messageId, ...(sequenceNumber !== undefined && { sequenceNumber }) };
  }

  /** Takes up to `count` messages: in FIFO order, none of a group that has messages in flight. */
  receive(count: number, visibilitySeconds = this.model.visibilitySeconds): readonly Message[] {
    this.#forgetOld();
    const now = this.#clock.now();
    const blocked = new Set(
      this.model.fifo ? this.#messages.filter(({ visibleAt }) => visibleAt > now).map(({ groupId }) => groupId) : [],
    );
    const taken: Message[] = [];
    for (const message of this.#messages) {
      if (taken.length === count) break;
      if (message.visibleAt > now || blocked.has(message.groupId)) continue;
      if (this.#isSpent(message)) {
        this.#bury(message);
      } else {
        taken.push(message);
      }
    }
    for (const message of taken) {
      message.receiveCount++;
      message.firstReceivedAt ??= now;
      message.receiptHandle = randomUUID();
      message.visibleAt = now + visibilitySeconds * 1000;
      this.#wakeAt(message);
    }
    return taken;
  }

  /**
   * False when the handle is an older receive's or of a message that is gone: SQS answers success all the same. Throws
   * for what never was a handle.
   */
  delete(receiptHandle: string): boolean {
    if (!handleForm.test(receiptHandle)) throw invalidHandle(receiptHandle);
    const message = this.#messages.find((one) => one.receiptHandle === receiptHandle);
    if (!message) return false;
    this.#remove(message);
    this.#ring();
    return true;
  }

  changeVisibility(receiptHandle: string, seconds: number): void {
    const message = this.#messages.find((one) => one.receiptHandle === receiptHandle);
    if (!message) throw invalidHandle(receiptHandle);
    message.visibleAt = this.#clock.now() + seconds * 1000;
    this.#wakeAt(message);
  }

  purge(): void {
    for (const message of [...this.#messages]) this.#remove(message);
    this.#ring();
  }

  #isSpent(message: Message): boolean {
    const { redrive } = this.model;
    return redrive !== undefined && message.receiveCount >= redrive.maxReceiveCount && this.#deadLetter() !== undefined;
  }

  #bury(message: Message): void {
    this.#remove(message);
    this.#deadLetter()?.take(message);
  }

  /** Takes over a message that another queue gave up; its id stays. */
  take(message: Message): void {
    const taken: Message = { ...message, visibleAt: this.#clock.now(), receiveCount: message.receiveCount };
    delete taken.receiptHandle;
    this.#messages.push(taken);
    this.#wakeAt(taken);
  }

  #remove(message: Message): void {
    message.cancelAlarm?.();
    this.#messages = this.#messages.filter((one) => one !== message);
  }

  #forgetOld(): void {
    const oldest = this.#clock.now() - this.model.retentionSeconds * 1000;
    for (const message of [...this.#messages]) if (message.sentAt <= oldest) this.#remove(message);
  }

  #wakeAt(message: Message): void {
    message.cancelAlarm?.();
    if (message.visibleAt <= this.#clock.now()) this.#ring();
    else message.cancelAlarm = this.#clock.at(message.visibleAt, () => this.#ring());
  }

  #ring(): void {
    for (const listener of this.#listeners) listener();
  }

  #nextSequence(): string {
    this.#sequence += 256n;
    return String(18_850_000_000_000_000_000n + this.#sequence);
  }
}

/** Handles are random UUIDs. */
const handleForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function invalidHandle(receiptHandle: string): AwsError {
  return new AwsError(
    'ReceiptHandleIsInvalid',
    `The input receipt handle "${receiptHandle}" is not a valid receipt handle.`,
  );
}

function sha256(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

function invalid(message: string): AwsError {
  return new AwsError('InvalidParameterValue', message);
}
