/** What every `MapStore` does. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { MapContent } from '../../shared/domain/map.ts';
import type { MapStore } from '../../shared/reconcile/ports.ts';
import { mapLease } from './lease-samples.ts';

export type MakeMapStore = (t: TestContext) => Promise<MapStore>;

export function mapContent(leases: number, fields: Partial<MapContent> = {}): MapContent {
  return {
    network: 'default',
    config: { Network: '10.0.0.0/8', SubnetLen: 24, Backend: { Type: 'aws-vpc', RouteTableID: ['rtb-1'] } },
    tables: [{ id: 'rtb-1', subnets: ['subnet-1'], filling: false }],
    leases: Array.from({ length: leases }, (_, index) => mapLease(index)),
    ...fields,
  };
}

export function runMapStoreContract(name: string, make: MakeMapStore): void {
  describe(name, () => {
    test('has no map before the first one', async (t) => {
      assert.equal(await (await make(t)).read(), null);
    });

    test('gives back what was published, with its place in time', async (t) => {
      const store = await make(t);
      const published = await store.publish(mapContent(5), null, 1234);
      assert.deepEqual(published, { schema: 1, epoch: 1234, revision: 1, ...mapContent(5) });
      assert.deepEqual(await store.read(), published);
    });

    test('counts revisions up and keeps the epoch', async (t) => {
      const store = await make(t);
      const first = await publish(store, mapContent(5), null);
      const second = await publish(store, mapContent(6), first, 9999);
      assert.deepEqual([second.epoch, second.revision], [1234, 2]);
      assert.deepEqual(await store.read(), second);
    });

    test('publishes nothing over a map that the caller does not know', async (t) => {
      const store = await make(t);
      const first = await publish(store, mapContent(5), null);
      assert.equal(await store.publish(mapContent(6), null, 1234), 'conflict');
      const second = await publish(store, mapContent(7), first);
      assert.equal(await store.publish(mapContent(8), first, 1234), 'conflict');
      assert.equal(await store.publish(mapContent(8), { ...second, epoch: 1 }, 1234), 'conflict');
      assert.deepEqual(await store.read(), second);
    });

    test('renews under a newer epoch, whatever the clock says, and goes on in it', async (t) => {
      const store = await make(t);
      const first = await publish(store, mapContent(5), null);
      const renewed = await store.renew(mapContent(5), first, 9999);
      assert.ok(renewed !== 'conflict');
      assert.equal(renewed.epoch, 9999);
      const again = await store.renew(mapContent(6), renewed, 1);
      assert.ok(again !== 'conflict');
      assert.ok(again.epoch > 9999);
      assert.equal(await store.renew(mapContent(7), renewed, 20_000), 'conflict');
      const next = await publish(store, mapContent(7), again);
      assert.deepEqual([next.epoch, next.revision], [again.epoch, again.revision + 1]);
      assert.deepEqual(await store.read(), next);
    });

    test('publishes over an unknown map not even where there is none', async (t) => {
      const store = await make(t);
      const ghost = { schema: 1, epoch: 1234, revision: 7, ...mapContent(1) };
      assert.equal(await store.publish(mapContent(1), ghost, 1234), 'conflict');
      assert.equal(await store.read(), null);
    });

    test('shows leases by subnet, numerically, however many there are', async (t) => {
      const store = await make(t);
      const content = mapContent(450);
      await publish(store, content, null);
      const read = await store.read();
      assert.ok(read !== 'damaged');
      assert.deepEqual(read?.leases, content.leases);
    });

    test('survives a life of growing, changing and shrinking', async (t) => {
      const store = await make(t);
      let previous = await publish(store, mapContent(0), null);
      for (const count of [1, 150, 149, 330, 330, 2, 150, 0, 330]) {
        const [head, ...rest] = mapContent(count).leases;
        const changed = head === undefined ? [] : [{ ...head, routedIn: [`rtb-${previous.revision}`] }, ...rest];
        const content = mapContent(count, { leases: changed });
        previous = await publish(store, content, previous);
        assert.deepEqual(await store.read(), previous);
        assert.deepEqual(previous.leases, changed);
      }
    });
  });
}

async function publish(
  store: MapStore,
  content: MapContent,
  previous: Parameters<MapStore['publish']>[1],
  epoch = 1234,
) {
  const map = await store.publish(content, previous, epoch);
  assert.ok(map !== 'conflict');
  return map;
}
