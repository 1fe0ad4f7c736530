/** What a sync stands on in AWS, for the two functions that run one. */
import { randomUUID } from 'node:crypto';
import { documentClient, ec2Client, ec2WriteClient, eventsClient, queueClient } from '../shared/aws/clients.ts';
import { systemClock } from '../shared/aws/clock.ts';
import { dynamoLeaseBook } from '../shared/aws/lease-book.ts';
import { dynamoLock } from '../shared/aws/lock.ts';
import { dynamoMapStore } from '../shared/aws/map-store.ts';
import { eventBridgePublisher } from '../shared/aws/publisher.ts';
import { sqsRejects } from '../shared/aws/rejects.ts';
import { ec2RouteTables } from '../shared/aws/route-tables.ts';
import { dynamoSyncState } from '../shared/aws/sync-state.ts';
import type { FunctionConfig } from '../shared/config/function-config.ts';
import type { Lock, Publisher } from '../shared/reconcile/ports.ts';
import type { SyncDeps } from '../shared/reconcile/sync-request.ts';

export interface SyncRoom {
  readonly deps: SyncDeps;
  readonly lock: Lock;
  readonly publisher: Publisher;
}

/** Clients are made once a process; what hangs on the deadline of an invocation is made for each. */
export function syncRooms(config: FunctionConfig) {
  const clients = { ec2: ec2Client(), ec2Writes: ec2WriteClient(), dynamo: documentClient(), events: eventsClient() };
  const { network, leasesTable, mapTable, routeTableIds } = config;
  return {
    rejects: sqsRejects({ client: queueClient(), queueUrl: config.rejectsQueueUrl }),
    /** `signal` is aborted when the handler must end: no call outlives it. */
    room(signal: AbortSignal): SyncRoom {
      const map = { client: clients.dynamo, tableName: mapTable, network, signal };
      return {
        deps: {
          network,
          ceiling: routeTableIds,
          leases: dynamoLeaseBook({ client: clients.dynamo, tableName: leasesTable, network, signal }),
          tables: ec2RouteTables({ reads: clients.ec2, writes: clients.ec2Writes, signal }),
          maps: dynamoMapStore(map),
          state: dynamoSyncState(map),
          clock: systemClock({ signal }),
          random: Math.random,
        },
        lock: dynamoLock(map),
        publisher: eventBridgePublisher({ client: clients.events, busName: config.eventBusName, signal }),
      };
    },
    newSyncId: (): string => randomUUID(),
  };
}

/** A handler's time: work for at most 90 s, and some time before Lambda ends the process to write down what was done. */
export function timesOf(remainingMs: number, now: number): { readonly deadline: number; readonly end: number } {
  const end = now + remainingMs - 3_000;
  return { deadline: Math.min(now + 90_000, end - 12_000), end };
}
