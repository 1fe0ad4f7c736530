import { randomUUID } from 'node:crypto';
import { type SandboxEvent, sandboxAccount, sandboxRegion } from '../service.ts';

/** An event as targets get it. */
export interface Envelope {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  /** ISO, to the second: EventBridge knows no finer time. */
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}

export function envelope(event: SandboxEvent, id: string = randomUUID()): Envelope {
  return {
    version: '0',
    id,
    'detail-type': event.detailType,
    source: event.source,
    account: sandboxAccount,
    time: new Date(event.time).toISOString().replace(/\.\d+Z$/, 'Z'),
    region: sandboxRegion,
    resources: event.resources,
    detail: event.detail,
  };
}
