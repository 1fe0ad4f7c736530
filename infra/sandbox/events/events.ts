import { randomUUID } from 'node:crypto';
import { isRecord, list, number, type Params, records, text } from '../params.ts';
import { type ApiRequest, AwsError, type SandboxClock, type Service } from '../service.ts';
import type { EventBus } from './bus.ts';
import { ruleActions } from './rule-actions.ts';
import type { RuleBook } from './rule-book.ts';

/** Since January 2026; 256 KB before. */
const maximumBytes = 1_048_576;

class EntryError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** EventBridge's API over the default bus: `PutEvents`, and rules with their targets. */
export class EventBridge implements Service {
  readonly name = 'events';
  readonly actions = ['PutEvents', ...Object.keys(ruleActions)];
  readonly #bus: EventBus;
  readonly #clock: SandboxClock;
  readonly #book: RuleBook;

  constructor(options: { bus: EventBus; clock: SandboxClock; book: RuleBook }) {
    this.#bus = options.bus;
    this.#clock = options.clock;
    this.#book = options.book;
  }

  async handle({ action, params }: ApiRequest): Promise<Readonly<Record<string, unknown>>> {
    if (action === 'PutEvents') return this.#put(params);
    const act = Object.hasOwn(ruleActions, action) ? ruleActions[action] : undefined;
    if (act !== undefined) {
      refuseOtherBus(text(params, 'EventBusName'));
      return act(this.#book, params);
    }
    throw new AwsError('UnknownOperationException', `The action ${action} is not known to the sandbox's EventBridge.`);
  }

  #put(params: Params): Readonly<Record<string, unknown>> {
    const entries = records(params, 'Entries');
    if (entries.length === 0 || entries.length > 10) {
      const bound = entries.length === 0 ? 'greater than or equal to 1' : 'less than or equal to 10';
      throw new AwsError(
        'ValidationException',
        `1 validation error detected: Value at 'entries' failed to satisfy constraint: Member must have length ${bound}`,
      );
    }
    if (entries.reduce((total, entry) => total + entrySize(entry), 0) > maximumBytes) {
      throw new AwsError('ValidationException', 'Total size of the entries in the request is over the limit.');
    }
    const answers = entries.map((entry) => {
      try {
        const id = randomUUID();
        this.#bus.publish(this.#event(entry), id);
        return { EventId: id };
      } catch (error) {
        if (!(error instanceof EntryError)) throw error;
        return { ErrorCode: error.code, ErrorMessage: error.message };
      }
    });
    return { FailedEntryCount: answers.filter((answer) => 'ErrorCode' in answer).length, Entries: answers };
  }

  #event(entry: Params) {
    const bus = text(entry, 'EventBusName') ?? 'default';
    if (!isDefault(bus)) {
      throw new EntryError('InvalidArgument', `Event bus ${bus} does not exist.`);
    }
    const source = wanted(entry, 'Source');
    if (source.startsWith('aws.'))
      throw new EntryError('NotAuthorizedForSourceException', 'Not authorized for the source.');
    const seconds = number(entry, 'Time');
    return {
      source,
      detailType: wanted(entry, 'DetailType'),
      time: seconds === undefined ? this.#clock.now() : seconds * 1000,
      resources: list(entry, 'Resources').map(String),
      detail: parsed(wanted(entry, 'Detail')),
    };
  }
}

function refuseOtherBus(bus = 'default'): void {
  if (isDefault(bus)) return;
  throw new AwsError('ResourceNotFoundException', `Event bus ${bus} does not exist.`);
}

const isDefault = (bus: string) => bus === 'default' || bus.endsWith(':event-bus/default');

function wanted(entry: Params, key: string): string {
  const value = text(entry, key);
  if (value === undefined || value === '') {
    throw new EntryError('InvalidArgument', `Parameter ${key} is not valid. Reason: ${key} is a required argument.`);
  }
  return value;
}

function parsed(detail: string): Params {
  try {
    const value: unknown = JSON.parse(detail);
    if (isRecord(value)) return value;
  } catch {
    // Answered below: text that is no JSON and JSON that is no object are the same mistake.
  }
  throw new EntryError('MalformedDetail', 'Detail is malformed.');
}

/** As the service counts: 14 bytes for a time, and the bytes of the texts. */
function entrySize(entry: Params): number {
  const texts = [text(entry, 'Source'), text(entry, 'DetailType'), text(entry, 'Detail'), ...list(entry, 'Resources')];
  const size = texts.reduce<number>((total, value) => total + Buffer.byteLength(String(value ?? '')), 0);
  return size + (entry['Time'] === undefined ? 0 : 14);
}
