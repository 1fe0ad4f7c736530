/** A map table behind a door that can be shut, with the real publisher at one side and the node's source at the other. */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type LeaseMemory, leaseMemory } from '../../../agent/claim/lease-memory.ts';
import type { MapSource } from '../../../agent/reconcile/ports.ts';
import { dynamoMapSource } from '../../../agent/watch/dynamo-map-source.ts';
import { dynamoMapItems } from '../../../agent/watch/map-items.ts';
import { mapMemory } from '../../../agent/watch/map-memory.ts';
import { documentClient } from '../../../shared/aws/clients.ts';
import { dynamoMapStore } from '../../../shared/aws/map-store.ts';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import type { MapLease, NetworkMap } from '../../../shared/domain/map.ts';
import type { MapStore } from '../../../shared/reconcile/ports.ts';
import { leases, type SandboxDynamoDb, startDynamoDb } from '../../infra/sandbox/dynamodb/sandbox-dynamodb.ts';
import { type RecordedLog, recordedLog } from '../fakes/log.ts';
import { VirtualClock } from '../fakes/virtual-clock.ts';
import { type Heard, listener } from './listener.ts';

export const arn = 'arn:aws:ec2:eu-central-1:123456789012:instance/i-1';
export const network = 'default';
export const pk = `network#${network}`;

export interface MapBench {
  readonly world: SandboxDynamoDb;
  readonly store: MapStore;
  readonly stateDir: string;
  readonly lease: LeaseMemory;
  readonly log: RecordedLog;
  /** Keys of the items that nodes asked for. */
  readonly asked: string[];
  /** Shut, every connection breaks. */
  shut: boolean;
  waiting: boolean;
  /** Publishes leases as the next revision. */
  publish(subnets: readonly string[]): Promise<NetworkMap>;
  /** One life of a node's source. */
  live(bootId?: string, startedAt?: number): { source: MapSource; clock: VirtualClock; heard: Heard };
}

export async function mapBench(t: TestContext): Promise<MapBench> {
  const world = await startDynamoDb(t, [{ ...leases, TableName: 'map' }]);
  const stateDir = await mkdtemp(join(tmpdir(), 'leaseway-'));
  const sources: MapSource[] = [];
  // A source that ends may write its last map.
  t.after(async () => {
    await Promise.all(sources.map((source) => source.close()));
    await rm(stateDir, { recursive: true });
  });
  const { hostname, port } = (await world.client.config.endpoint?.()) ?? { hostname: '', port: 0 };
  const store = dynamoMapStore({ client: world.documents, tableName: 'map', network });
  let last: NetworkMap | null = null;
  const bench: MapBench = {
    world,
    store,
    stateDir,
    lease: leaseMemory(stateDir),
    log: recordedLog(),
    asked: [],
    shut: false,
    waiting: false,
    publish: async (subnets) => {
      const config = { Network: '10.244.0.0/16', Backend: { Type: 'vxlan' } };
      const next = await store.publish({ network, config, tables: [], leases: subnets.map(leaseOf) }, last, 1_000);
      if (next === 'conflict') throw new Error('somebody else published');
      last = next;
      return next;
    },
    live: (bootId = 'boot-1', startedAt) => {
      const clock = new VirtualClock();
      clock.time = startedAt ?? clock.time;
      const heard = listener();
      const memory = mapMemory({
        stateDir,
        network,
        lease: bench.lease,
        bootId,
        instanceArn: arn,
        now: () => clock.time,
      });
      const items = dynamoMapItems({ client, tableName: 'map' }, network);
      const source = dynamoMapSource({
        items: {
          get: (key, ...rest) => {
            bench.asked.push(key);
            return items.get(key, ...rest);
          },
        },
        network,
        memory,
        poll: 5_000,
        isWaiting: () => bench.waiting,
        clockUntil: clock.until,
        log: bench.log,
        random: () => 0.5,
      });
      source.start(heard);
      sources.push(source);
      return { source, clock, heard };
    },
  };
  const client = documentClient({
    endpoint: await door(t, { host: hostname, port: port ?? 0 }, () => bench.shut),
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  t.after(() => client.destroy());
  return bench;
}

export function remember(bench: MapBench, bootId: string, expiresAt: number): Promise<void> {
  const subnet = parseCidr('10.244.1.0/24', 'subnet');
  return bench.lease.write({ instanceArn: arn, subnet, ipv6Subnet: null, expiresAt, bootId, lost: [] });
}

function leaseOf(subnet: string): MapLease {
  const [, , third = '0'] = subnet.split('.');
  return {
    subnet,
    ipv6Subnet: null,
    instanceId: `i-${third}`,
    eniId: `eni-${third}`,
    nodeIp: `10.0.1.${third}`,
    nodeIpv6: null,
    subnetId: 'subnet-1',
    segment: 'subnet-1',
    vtepMac: `02:00:00:00:00:${Number(third).toString(16).padStart(2, '0')}`,
    state: 'active',
    routedIn: [],
    ipv6RoutedIn: [],
  };
}

/** A TCP door before an endpoint; gives its own. */
export async function door(t: TestContext, to: { host: string; port: number }, isShut: () => boolean): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    if (isShut()) return void socket.destroy();
    const behind = connect(to);
    for (const [near, far] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      sockets.add(near);
      // A connection that was kept open goes with the door, too.
      near.on('data', (data) => (isShut() ? near.destroy() : far.write(data)));
      near.on('error', () => far.destroy()).on('close', () => far.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}
