/** From stream records of the leases table to public events. */
import { type LeaseChange, leaseChange, leaseRemoval } from '../domain/lease-change.ts';
import { parseLeaseItem } from '../domain/lease-item.ts';
import type { OutgoingEvent, Publisher } from './ports.ts';

/** A record of a `lease#` item, its images as plain objects; null where there is none. */
export interface LeaseRecordChange {
  readonly sequenceNumber: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface PublishReport {
  readonly published: number;
  /** Records that cannot be read: for the rejects queue. They are not failures: a poison record must not block. */
  readonly rejects: readonly { readonly reason: string; readonly body: unknown }[];
  /** The first record whose event was not accepted; all from it on come again, so duplicates are possible. */
  readonly firstFailed: string | null;
}

export async function publishChanges(
  publisher: Publisher,
  network: string,
  records: readonly LeaseRecordChange[],
): Promise<PublishReport> {
  const rejects: { reason: string; body: unknown }[] = [];
  const events: { sequenceNumber: string; event: OutgoingEvent }[] = [];
  for (const record of records) {
    try {
      const change = changeOf(network, record);
      if (change === null) continue;
      events.push({
        sequenceNumber: record.sequenceNumber,
        event: { detailType: 'Lease Change', detail: { ...change } },
      });
    } catch (error) {
      rejects.push({ reason: error instanceof Error ? error.message : String(error), body: record });
    }
  }
  const failed = events.length === 0 ? [] : await publisher.put(events.map(({ event }) => event));
  const [first] = [...failed].sort((a, b) => a - b);
  return {
    published: events.length - failed.length,
    rejects,
    firstFailed: first === undefined ? null : (events[first]?.sequenceNumber ?? null),
  };
}

function changeOf(network: string, { before, after }: LeaseRecordChange): LeaseChange | null {
  const previous = before === null ? null : readBefore(before, after);
  if (after !== null) return leaseChange(network, previous, parseLeaseItem(after));
  return previous === null ? null : leaseRemoval(network, previous);
}

/** An item that was mended by hand is news, whatever stood there before. */
function readBefore(before: unknown, after: unknown) {
  try {
    return parseLeaseItem(before);
  } catch (error) {
    if (after === null) throw error;
    return null;
  }
}
