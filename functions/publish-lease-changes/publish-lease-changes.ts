/** The leases stream to `Lease Change` events. */

import type { Publisher } from '../../shared/keeper/ports.ts';
import { type LeaseRecordChange, publishChanges } from '../../shared/keeper/publish-changes.ts';
import { type BatchAnswer, batchAnswer } from '../batch-answer.ts';
import type { Run } from '../middleware.ts';
import { parseStreamRecord, streamRecordsOf } from '../stream-record.ts';

export interface PublishPorts {
  readonly network: string;
  readonly publisher: Publisher;
}

export async function publishLeaseChanges(ports: PublishPorts, event: unknown, run: Run): Promise<BatchAnswer> {
  const raw = streamRecordsOf(event);
  if (raw === null) {
    await run.reject('publish-lease-changes', 'is no event of a DynamoDB stream', event);
    return batchAnswer(null);
  }
  const records: LeaseRecordChange[] = [];
  for (const item of raw) {
    try {
      const record = parseStreamRecord(item);
      const isOurs = record.pk === `network#${ports.network}` && record.sk.startsWith('lease#');
      if (isOurs && !record.isExpiry) records.push(record);
    } catch (error) {
      await run.reject('leases stream', error instanceof Error ? error.message : String(error), item);
    }
  }
  const report = await publishChanges(ports.publisher, ports.network, records);
  for (const { reason, body } of report.rejects) await run.reject('leases stream', reason, body);
  if (report.published > 0) run.info('published', { events: report.published });
  if (report.firstFailed !== null) run.error('events were not accepted', { from: report.firstFailed });
  return batchAnswer(report.firstFailed);
}
