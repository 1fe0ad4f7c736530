/** The messages of the sync queue: whole EventBridge events, each saying no more than "look again". */
import * as v from 'valibot';

const record = v.object({
  messageId: v.string(),
  body: v.string(),
  attributes: v.object({ SentTimestamp: v.string() }),
});

const envelope = v.object({
  'detail-type': v.string(),
  source: v.string(),
  time: v.pipe(v.string(), v.isoTimestamp()),
  detail: v.unknown(),
});

const continuation = v.object({
  network: v.string(),
  syncId: v.string(),
  pass: v.pipe(v.number(), v.integer(), v.minValue(1)),
});

export interface SyncMessages {
  /** Epoch milliseconds at which the newest message was sent; null: there is none that can be read. */
  readonly newestSentAt: number | null;
  /** Epoch milliseconds of the earliest lease change; null: none is among them. */
  readonly earliestChange: number | null;
  /** The furthest continuation; null: none is among them. */
  readonly continued: { readonly syncId: string; readonly pass: number } | null;
  readonly unreadable: readonly { readonly reason: string; readonly body: unknown }[];
}

export function readMessages(event: unknown): SyncMessages {
  const records = v.safeParse(v.object({ Records: v.array(v.unknown()) }), event);
  if (!records.success) {
    return {
      newestSentAt: null,
      earliestChange: null,
      continued: null,
      unreadable: [{ reason: 'no queue event', body: event }],
    };
  }
  const unreadable: { reason: string; body: unknown }[] = [];
  const sent: number[] = [];
  const changes: number[] = [];
  const continued: { syncId: string; pass: number }[] = [];
  for (const raw of records.output.Records) {
    const message = v.safeParse(record, raw);
    if (!message.success) {
      unreadable.push({ reason: 'no queue message', body: raw });
      continue;
    }
    const parsed = readBody(message.output.body);
    if (parsed === null) {
      unreadable.push({ reason: 'no EventBridge event', body: message.output.body });
      continue;
    }
    const problem = take(parsed);
    if (problem !== null) unreadable.push({ reason: problem, body: message.output.body });
    else sent.push(Number(message.output.attributes.SentTimestamp));
  }
  return {
    newestSentAt: sent.length === 0 ? null : Math.max(...sent),
    earliestChange: changes.length === 0 ? null : Math.min(...changes),
    continued: continued.sort((a, b) => b.pass - a.pass)[0] ?? null,
    unreadable,
  };

  function take(parsed: v.InferOutput<typeof envelope>): string | null {
    switch (`${parsed.source} ${parsed['detail-type']}`) {
      case 'leaseway Lease Change':
        changes.push(Date.parse(parsed.time));
        return null;
      case 'aws.events Scheduled Event':
        return null;
      case 'leaseway Sync Continuation': {
        const detail = v.safeParse(continuation, parsed.detail);
        if (!detail.success) return 'a continuation without syncId and pass';
        continued.push(detail.output);
        return null;
      }
      default:
        return `an event that is not ours: ${parsed.source} ${parsed['detail-type']}`;
    }
  }
}

function readBody(body: string): v.InferOutput<typeof envelope> | null {
  try {
    const parsed = v.safeParse(envelope, JSON.parse(body));
    return parsed.success ? parsed.output : null;
  } catch {
    return null;
  }
}
