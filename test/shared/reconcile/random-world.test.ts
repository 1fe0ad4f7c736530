/**
 * Random worlds through whole syncs on fakes: leases come, move and go, tables hold other people's rows and blackholes,
 * calls fail before and after their effect, reads are old. What must hold is checked after every single write.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Lease, LeaseState } from '../../../shared/domain/lease.ts';
import { isOurs, managedRanges } from '../../../shared/domain/ownership.ts';
import { parseNetworkConfig } from '../../../shared/domain/parse-network-config.ts';
import type { Meaning, WriteAction } from '../../../shared/reconcile/ports.ts';
import { foreignRow, rowOf } from '../../fakes/reconcile/route-tables.ts';
import { lease, netConf, SyncWorld, tableIds } from './sync-world.ts';

const subnets = fc.integer({ min: 1, max: 12 });

/** A change of the world between two syncs. */
type Change =
  | { readonly kind: 'lease'; readonly n: number; readonly eni: number; readonly state: LeaseState }
  | { readonly kind: 'hand'; readonly table: number; readonly n: number }
  | { readonly kind: 'stray'; readonly table: number; readonly n: number; readonly dead: boolean }
  | {
      readonly kind: 'fault';
      readonly action: WriteAction;
      readonly table: number;
      readonly meaning: Meaning;
      readonly after: number;
      readonly late: boolean;
    }
  | { readonly kind: 'blind' }
  | { readonly kind: 'lag'; readonly table: number; readonly backwards: boolean }
  | { readonly kind: 'sync' };

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('lease' as const),
      n: subnets,
      eni: fc.integer({ min: 1, max: 20 }),
      state: fc.constantFrom<LeaseState>('active', 'active', 'active', 'leaving', 'withdrawn', 'released', 'stale'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('hand' as const), table: fc.nat(2), n: subnets }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('stray' as const), table: fc.nat(2), n: subnets, dead: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      action: fc.constantFrom<WriteAction>('CreateRoute', 'ReplaceRoute', 'DeleteRoute'),
      table: fc.nat(2),
      meaning: fc.constantFrom<Meaning>('throttled', 'transient', 'denied', 'no-table', 'invalid'),
      after: fc.nat(3),
      late: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'blind' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lag' as const), table: fc.nat(2), backwards: fc.boolean() }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'sync' as const }) },
);

const foreign = [
  foreignRow('0.0.0.0/0', 'nat-1'),
  rowOf('10.244.0.0/16', 'eni-vpn'),
  rowOf('10.244.200.0/25', 'eni-vpn'),
  foreignRow('10.244.201.0/24', 'nat-2'),
  rowOf('10.245.1.0/24', 'eni-other-cluster'),
  { ...rowOf('10.244.202.0/24', 'eni-vpn'), origin: 'EnableVgwRoutePropagation' },
  rowOf('10.244.203.0/24', 'eni-protected'),
  rowOf('10.245.2.0/24', 'eni-stopped', 'blackhole'),
];
const foreignDestinations = new Set(foreign.map((row) => row.destinationText));

test('random worlds converge, touch nothing foreign and never leave a wanted destination without a row', async () => {
  const ranges = managedRanges(parseNetworkConfig(netConf({ Protected: ['10.244.203.0/24'] })));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 40 }), async (changes) => {
      const world = new SyncWorld(netConf({ Protected: ['10.244.203.0/24'] }));
      const current = new Map<number, Lease>();
      world.tables.interfaces('attached', ...Array.from({ length: 20 }, (_, n) => `eni-${n + 1}`));
      for (const id of tableIds) world.tables.plant(id, ...foreign);
      const foreignBefore = foreignText(world);

      world.tables.onWrite = ({ action, resource, destination }) => {
        assert.ok(tableIds.includes(resource as (typeof tableIds)[number]), `${resource} is not listed`);
        assert.ok(destination !== undefined && !foreignDestinations.has(destination), `${destination} is not ours`);
        const wanted = [...current.values()].find((each) => each.subnet.text === destination);
        const forwards = wanted !== undefined && ['active', 'leaving', 'stale'].includes(wanted.state);
        assert.ok(!(action === 'DeleteRoute' && forwards), `${destination} is wanted and was deleted`);
        const [row] = world.tables.table(resource).routes.filter((each) => each.destinationText === destination);
        assert.ok(row === undefined || isOurs(row, ranges), `${destination} in ${resource} is somebody else's`);
      };

      for (const each of changes) await apply(each);
      world.tables.faults.clear();
      // Rows and tables that failed rest for at most fifteen minutes.
      for (let round = 0; round < 4; round += 1) {
        world.clock.advance(16 * 60_000);
        await world.sync({ force: null });
      }
      const last = await world.sync();
      if (last.report.guard.refused) await world.sync({ force: last.report.guard.digest, isManual: true });
      world.clock.advance(60_000);
      await world.sync();
      world.forget();
      const silent = await world.sync();
      assert.equal(silent.report.status, 'ok', JSON.stringify(silent.report));
      assert.deepEqual(world.writes(), []);
      assert.equal(foreignText(world), foreignBefore);
      const desired = [...current.values()]
        .filter(({ state }) => ['active', 'leaving', 'stale'].includes(state))
        .map((each) => `${each.subnet.text} -> ${each.eniId} active`)
        .sort();
      for (const id of tableIds) {
        const ours = world.tables.text(id).filter((row) => /^10\.244\.(\d|1[0-2])\.0\/24 /.test(row));
        assert.deepEqual(ours, desired, id);
      }
      const routed = (world.maps.current?.leases ?? []).filter(({ state }) => state !== 'withdrawn');
      for (const shown of routed) assert.deepEqual(shown.routedIn, [...tableIds], shown.subnet);

      async function apply(each: Change): Promise<void> {
        switch (each.kind) {
          case 'lease': {
            const next = lease(each.n, { eniId: `eni-${each.eni}`, instanceId: `i-${each.eni}`, state: each.state });
            current.set(each.n, next);
            world.leases.put(next);
            return;
          }
          case 'hand':
            world.tables.uproot(tableIds[each.table] ?? 'rtb-1', `10.244.${each.n}.0/24`);
            return;
          case 'stray': {
            const id = tableIds[each.table] ?? 'rtb-1';
            const destination = `10.244.${each.n}.0/24`;
            if (world.tables.text(id).some((row) => row.startsWith(`${destination} `))) return;
            world.tables.plant(id, rowOf(destination, 'eni-stray', each.dead ? 'blackhole' : 'active'));
            return;
          }
          case 'fault':
            world.tables.faults.add({
              action: each.action,
              resource: tableIds[each.table] ?? 'rtb-1',
              meaning: each.meaning,
              after: each.after,
              times: 3,
              when: each.late && each.meaning === 'transient' ? 'after' : 'before',
            });
            return;
          case 'blind':
            world.tables.faults.add({ action: 'DescribeRouteTables', meaning: 'transient' });
            return;
          case 'lag':
            world.tables.lag(tableIds[each.table] ?? 'rtb-1', 2, each.backwards);
            return;
          case 'sync':
            world.clock.advance(30_000);
            await world.sync();
        }
      }
    }),
    { numRuns: 300 },
  );
});

/** Every member of every foreign row. */
function foreignText(world: SyncWorld): string {
  const rows = tableIds.map((id) =>
    world.tables.table(id).routes.filter((row) => foreignDestinations.has(row.destinationText)),
  );
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
