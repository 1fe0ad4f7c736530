/** Stream records in the shape in which Lambda's event source mapping hands them over. */
import { randomUUID } from 'node:crypto';
import { itemSize } from 'dynalite/db/index.js';
import { sandboxRegion } from '../service.ts';
import type { Item } from './attribute-value.ts';

export type StreamViewType = 'KEYS_ONLY' | 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES';

export interface UserIdentity {
  readonly type: string;
  readonly principalId: string;
}

export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly eventVersion: '1.1';
  readonly eventSource: 'aws:dynamodb';
  readonly awsRegion: string;
  readonly eventSourceARN: string;
  readonly userIdentity?: UserIdentity;
  readonly dynamodb: {
    /** Seconds since the epoch, sandbox clock. */
    readonly ApproximateCreationDateTime: number;
    readonly Keys: Item;
    readonly NewImage?: Item;
    readonly OldImage?: Item;
    readonly SequenceNumber: string;
    readonly SizeBytes: number;
    readonly StreamViewType: StreamViewType;
  };
}

/** What a write did to one item; both images present and equal never reaches a stream. */
export interface Change {
  readonly keys: Item;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  readonly userIdentity?: UserIdentity;
}

export function streamRecord(
  change: Change,
  stream: { readonly arn: string; readonly viewType: StreamViewType },
  sequenceNumber: string,
  now: number,
): StreamRecord {
  const { keys, before, after, userIdentity } = change;
  const wantsNew = stream.viewType === 'NEW_IMAGE' || stream.viewType === 'NEW_AND_OLD_IMAGES';
  const wantsOld = stream.viewType === 'OLD_IMAGE' || stream.viewType === 'NEW_AND_OLD_IMAGES';
  const images = {
    ...(wantsNew && after !== undefined ? { NewImage: after } : {}),
    ...(wantsOld && before !== undefined ? { OldImage: before } : {}),
  };
  return {
    eventID: randomUUID().replaceAll('-', ''),
    eventName: before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY',
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: sandboxRegion,
    eventSourceARN: stream.arn,
    ...(userIdentity === undefined ? {} : { userIdentity }),
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(now / 1000),
      Keys: keys,
      ...images,
      SequenceNumber: sequenceNumber,
      SizeBytes: [keys, ...Object.values(images)].reduce((sum, image) => sum + itemSize(image), 0),
      StreamViewType: stream.viewType,
    },
  };
}
