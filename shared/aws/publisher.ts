/** Events on EventBridge's bus. */
import { type EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import type { OutgoingEvent, Publisher } from '../reconcile/ports.ts';
import { backoff } from './backoff.ts';
import { type Caller, call } from './call.ts';
import { systemClock } from './clock.ts';
import { isWorthAnotherTry, refusal } from './error-meanings.ts';

const source = 'leaseway';

/** Entries in one request, and bytes in all of them. EventBridge takes 1 MB since 2026, but not in every region yet. */
const mostEntries = 10;
const mostBytes = 256 * 1024;

const mostTries = 4;

export interface PublisherOptions extends Caller {
  readonly client: EventBridgeClient;
  readonly busName: string;
  /** Told why an event was given up: the port's answer says only which. */
  readonly onGivenUp?: (event: OutgoingEvent, reason: string) => void;
}

interface Entry {
  readonly index: number;
  readonly bytes: number;
  readonly entry: PutEventsRequestEntry;
}

interface Failure {
  readonly entry: Entry;
  readonly reason: string;
  readonly again: boolean;
}

export function eventBridgePublisher(options: PublisherOptions): Publisher {
  const clock = systemClock(options);

  const send = async (batch: readonly Entry[]): Promise<Failure[]> => {
    const command = new PutEventsCommand({ Entries: batch.map(({ entry }) => entry) });
    try {
      const { Entries = [] } = await call('PutEvents', options, (http) => options.client.send(command, http));
      return batch.flatMap((entry, at) => {
        const result = Entries[at];
        // An entry is accepted when it has got an id, and not because nothing was said about it.
        if (result?.EventId !== undefined) return [];
        const code = result?.ErrorCode ?? 'InternalFailure';
        const reason = `${code}: ${result?.ErrorMessage ?? 'no id and no reason was given'}`;
        return [{ entry, reason, again: isWorthAnotherTry(code) }];
      });
    } catch (error) {
      const { meaning, code, message } = refusal('PutEvents', error);
      const again = meaning === 'throttled' || meaning === 'transient';
      return batch.map((entry) => ({ entry, reason: `${code}: ${message}`, again }));
    }
  };

  return {
    put: async (events) => {
      const givenUp: number[] = [];
      const giveUp = (index: number, reason: string): void => {
        givenUp.push(index);
        const event = events[index];
        if (event !== undefined) options.onGivenUp?.(event, reason);
      };
      let waiting: Entry[] = [];
      for (const [index, event] of events.entries()) {
        const entry = entryOf(event, index, options.busName);
        if (entry.bytes <= mostBytes) waiting.push(entry);
        else giveUp(index, `${entry.bytes} bytes are more than the ${mostBytes} of an event`);
      }

      for (let tries = 1; waiting.length > 0; tries += 1) {
        const failures: Failure[] = [];
        for (const batch of batches(waiting)) failures.push(...(await send(batch)));
        const last = tries >= mostTries || options.signal?.aborted === true;
        waiting = [];
        for (const { entry, reason, again } of failures) {
          if (again && !last) waiting.push(entry);
          else giveUp(entry.index, reason);
        }
        // A deadline within the pause leads to one more round, whose calls end at once and give the reason.
        if (waiting.length > 0) await clock.sleep(backoff(tries, 200, 2_000)).catch(() => undefined);
      }
      return givenUp.sort((a, b) => a - b);
    },
  };
}

function entryOf({ detailType, detail }: OutgoingEvent, index: number, busName: string): Entry {
  const entry = { Source: source, DetailType: detailType, Detail: JSON.stringify(detail), EventBusName: busName };
  // EventBridge counts source, detail-type and detail in UTF-8; the bus is not among them.
  const bytes = [entry.Source, entry.DetailType, entry.Detail].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return { index, bytes, entry };
}

function batches(entries: readonly Entry[]): Entry[][] {
  const result: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const current = result.at(-1);
    if (current === undefined || current.length >= mostEntries || bytes + entry.bytes > mostBytes) {
      result.push([entry]);
      bytes = entry.bytes;
    } else {
      current.push(entry);
      bytes += entry.bytes;
    }
  }
  return result;
}
