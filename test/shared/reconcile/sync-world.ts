/** A whole sync on fakes: leases, tables, map, state and a clock that tests turn by hand. */
import { parseCidr } from '../../../shared/domain/cidr.ts';
import type { Lease, LeaseState } from '../../../shared/domain/lease.ts';
import { resync, type SyncResult } from '../../../shared/reconcile/resync.ts';
import type { SyncRequest } from '../../../shared/reconcile/sync-request.ts';
import { FakeClock } from '../../fakes/reconcile/clock.ts';
import { FakeLeases } from '../../fakes/reconcile/leases.ts';
import { FakeMapStore } from '../../fakes/reconcile/map-store.ts';
import { FakeRouteTables } from '../../fakes/reconcile/route-tables.ts';
import { FakeSyncState } from '../../fakes/reconcile/sync-state.ts';

export const tableIds = ['rtb-1', 'rtb-2', 'rtb-3'] as const;

export function netConf(leaseway: object = {}, backend: object = {}): object {
  return {
    Network: '10.244.0.0/16',
    SubnetLen: 24,
    Backend: { Type: 'aws-vpc', RouteTableID: tableIds, ...backend },
    Leaseway: leaseway,
  };
}

/** Lease `n` of 10.244.n.0/24, by instance i-n and eni-n. */
export function lease(n: number, over: Partial<Lease> = {}): Lease {
  const id = n.toString(16);
  return {
    subnet: parseCidr(`10.244.${n}.0/24`, 'subnet'),
    ipv6Subnet: null,
    instanceId: `i-${id}`,
    eniId: `eni-${id}`,
    nodeIp: `10.0.1.${n}`,
    nodeIpv6: null,
    subnetId: 'subnet-1',
    segment: 'subnet-1',
    vtepMac: null,
    state: 'active',
    acquiredAt: 1_793_000_000 + n,
    expiresAt: 1_893_000_000,
    version: 1,
    ...over,
  };
}

export function inState(n: number, state: LeaseState): Lease {
  return lease(n, { state });
}

export class SyncWorld {
  readonly clock = new FakeClock();
  readonly leases = new FakeLeases();
  readonly tables = new FakeRouteTables();
  readonly maps = new FakeMapStore();
  readonly state = new FakeSyncState();
  syncs = 0;

  constructor(config: object = netConf()) {
    this.leases.configure(config);
    for (const id of tableIds) this.tables.addTable({ id });
    // The VPC's other table: read with the others, never written.
    this.tables.addTable({ id: 'rtb-main', isMain: true });
  }

  async sync(over: Partial<SyncRequest> = {}): Promise<SyncResult> {
    this.syncs += 1;
    const request: SyncRequest = {
      syncId: `sync-${this.syncs}`,
      dryRun: false,
      force: null,
      forced: [],
      only: null,
      isManual: false,
      deadline: this.clock.now() + 90_000,
      ...over,
    };
    return resync(request, {
      network: 'default',
      ceiling: [...tableIds],
      leases: this.leases,
      tables: this.tables,
      maps: this.maps,
      state: this.state,
      clock: this.clock,
      random: () => 0.5,
    });
  }

  /** Calls of one action since the last `forget`. */
  count(action: string): number {
    return this.tables.calls.filter((call) => call.action === action).length;
  }

  writes(): string[] {
    return this.tables.calls
      .filter((call) => call.action !== 'DescribeRouteTables')
      .map((call) => `${call.action} ${call.resource} ${call.destination} ${call.eniId ?? ''}`.trim());
  }

  forget(): void {
    this.tables.calls.length = 0;
  }

  /** Brings leases in and routes them. */
  async settle(...leases: readonly Lease[]): Promise<void> {
    this.tables.interfaces('attached', ...leases.map((each) => each.eniId));
    // One change each, as the keeper grants them.
    for (const each of leases) this.leases.put(each);
    await this.sync();
    this.clock.advance(60_000);
    await this.sync();
    this.clock.advance(60_000);
    this.forget();
  }
}
