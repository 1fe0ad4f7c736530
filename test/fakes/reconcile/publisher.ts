/** The event bus in memory. */
import type { OutgoingEvent, Publisher } from '../../../shared/reconcile/ports.ts';

export class FakePublisher implements Publisher {
  readonly events: OutgoingEvent[] = [];
  /** Which events the bus does not take, beside those over its size. */
  refuses: (event: OutgoingEvent) => boolean = () => false;

  async put(events: readonly OutgoingEvent[]): Promise<readonly number[]> {
    await Promise.resolve();
    const refused = events.flatMap((event, index) => (isTooLarge(event) || this.refuses(event) ? [index] : []));
    // What is no JSON does not survive the way.
    const accepted = events.filter((_, index) => !refused.includes(index));
    this.events.push(...(JSON.parse(JSON.stringify(accepted)) as OutgoingEvent[]));
    return refused;
  }

  of(detailType: string): OutgoingEvent[] {
    return this.events.filter((event) => event.detailType === detailType);
  }
}

/** As the adapter counts, but for the few bytes of the source. */
function isTooLarge({ detailType, detail }: OutgoingEvent): boolean {
  return Buffer.byteLength(detailType) + Buffer.byteLength(JSON.stringify(detail)) > 256 * 1024;
}
