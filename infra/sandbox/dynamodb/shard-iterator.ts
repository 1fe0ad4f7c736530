/** Shard iterators: opaque texts that say where in which shard to read on. */
import { AwsError } from '../service.ts';

export interface ShardPosition {
  readonly streamArn: string;
  readonly shardId: string;
  readonly position: number;
}

/** An iterator is good for 15 minutes. */
const lifetimeMs = 15 * 60_000;

export function writeShardIterator(at: ShardPosition, now: number): string {
  return Buffer.from(JSON.stringify([at.streamArn, at.shardId, at.position, now])).toString('base64url');
}

export function readShardIterator(text: unknown, now: number): ShardPosition {
  const parts = parse(text);
  const [streamArn, shardId, position, issued] = parts;
  if (
    typeof streamArn !== 'string' ||
    typeof shardId !== 'string' ||
    typeof position !== 'number' ||
    typeof issued !== 'number'
  ) {
    throw new AwsError('ValidationException', 'Invalid ShardIterator');
  }
  if (now > issued + lifetimeMs) throw new AwsError('ExpiredIteratorException', 'The shard iterator has expired');
  return { streamArn, shardId, position };
}

function parse(text: unknown): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(String(text), 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}
