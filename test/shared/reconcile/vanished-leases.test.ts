import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inState, lease, SyncWorld, tableIds } from './sync-world.ts';

test('an emptied or half restored lease table removes nothing from tables or map', async (t) => {
  for (const nodes of [3, 8, 100]) {
    for (const kept of [0, Math.floor(nodes / 2)]) {
      await t.test(`${nodes} nodes, ${kept} left`, async () => {
        const world = new SyncWorld();
        const leases = Array.from({ length: nodes }, (_, n) => lease(n + 1));
        await world.settle(...leases);
        const before = tableIds.map((id) => world.tables.text(id));
        const map = JSON.stringify(world.maps.current?.leases);
        world.leases.drop(...leases.slice(kept).map((each) => each.subnet.text));
        world.leases.counter = kept; // a restore brings back the counter of its time
        const { report, events } = await world.sync();
        assert.equal(report.status, 'refused');
        assert.deepEqual(world.writes(), []);
        assert.deepEqual(
          tableIds.map((id) => world.tables.text(id)),
          before,
        );
        assert.equal(JSON.stringify(world.maps.current?.leases), map);
        assert.equal(events.filter(({ detailType }) => detailType === 'Route Sync Refused').length, 1);
        // The digest lets through exactly what was shown.
        const forced = await world.sync({ force: report.guard.digest, isManual: true });
        assert.equal(forced.report.guard.refused, false);
        assert.equal(world.count('DeleteRoute'), 3 * (nodes - kept));
        assert.equal(world.maps.current?.leases.length, kept);
        world.clock.advance(60_000);
        assert.equal((await world.sync()).report.status, 'ok');
      });
    }
  }
});

test("two of three leases gone without a tombstone are a hole, one can be an operator's hand", async () => {
  for (const [gone, status] of [
    [1, 'ok'],
    [2, 'refused'],
  ] as const) {
    const world = new SyncWorld();
    await world.settle(lease(1), lease(2), lease(3));
    world.leases.drop(...[lease(1), lease(2)].slice(0, gone).map((each) => each.subnet.text));
    const { report } = await world.sync();
    assert.equal(report.status, status);
    assert.equal(world.count('DeleteRoute'), gone === 1 ? 3 : 0);
    assert.equal(world.maps.current?.leases.length, gone === 1 ? 2 : 3);
  }
});

test('a nightly scale-in from a hundred nodes to ten is not held back', async () => {
  const world = new SyncWorld();
  await world.settle(...Array.from({ length: 100 }, (_, n) => lease(n + 1)));
  world.leases.put(...Array.from({ length: 90 }, (_, n) => inState(n + 11, 'released')));
  let more = true;
  for (let pass = 0; more && pass < 10; pass += 1) {
    ({ more } = (await world.sync()).report);
    world.clock.advance(1000);
  }
  for (const id of tableIds) assert.equal(world.tables.text(id).length, 11);
  assert.equal(world.maps.current?.leases.length, 10);
});

test('a lease that moves before the first deletion makes a new plan', async () => {
  const world = new SyncWorld();
  await world.settle(lease(1), lease(2));
  world.leases.put(inState(2, 'withdrawn'));
  world.tables.interfaces('attached', 'eni-3');
  world.leases.put(lease(3));
  let restored = false;
  world.tables.onWrite = () => {
    if (restored) return;
    restored = true;
    world.leases.put(lease(2));
  };
  const { report } = await world.sync();
  assert.equal(world.count('DeleteRoute'), 0);
  assert.ok(world.tables.text('rtb-1').includes('10.244.2.0/24 -> eni-2 active'));
  assert.equal(report.status, 'ok');
});
