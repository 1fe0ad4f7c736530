import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lease, SyncWorld, tableIds } from './sync-world.ts';

const joinedSince = [7, 8];

/** Six leases, two that joined since the backup was made, and the counter of its time. */
async function restored(): Promise<SyncWorld> {
  const world = new SyncWorld();
  await world.settle(...[1, 2, 3, 4, 5, 6].map((n) => lease(n)));
  const { counter } = world.leases;
  await world.settle(...joinedSince.map((n) => lease(n)));
  world.leases.drop(...joinedSince.map((n) => `10.244.${n}.0/24`));
  world.leases.counter = counter;
  return world;
}

const routesOf = (world: SyncWorld, n: number) =>
  tableIds.filter((id) => world.tables.text(id).some((row) => row.startsWith(`10.244.${n}.0/24 `))).length;

test('leases that a restored table lacks keep their routes although renewals drive its counter past the old one', async () => {
  const world = await restored();
  for (let renewal = 0; renewal < 10; renewal += 1) {
    world.clock.advance(60_000);
    assert.equal((await world.sync()).report.status, 'refused');
    world.leases.put(lease(1, { version: 2 + renewal }));
  }
  for (const n of joinedSince) assert.equal(routesOf(world, n), 3);
  assert.equal(world.maps.current?.leases.length, 8);
});

test('and are trusted again once every one of them is back', async () => {
  const world = await restored();
  await world.sync();
  world.leases.put(lease(7));
  world.clock.advance(60_000);
  await world.sync();
  assert.equal(routesOf(world, 8), 3);
  world.leases.put(lease(8));
  world.clock.advance(60_000);
  assert.equal((await world.sync()).report.status, 'ok');
  world.leases.drop('10.244.3.0/24');
  world.clock.advance(60_000);
  await world.sync();
  assert.equal(routesOf(world, 3), 0, "a single one can be an operator's hand");
});

test('or once the digest lets through what is held', async () => {
  const world = await restored();
  const { report } = await world.sync();
  world.leases.put(lease(1, { version: 2 }));
  const forced = await world.sync({ force: report.guard.digest, isManual: true });
  assert.equal(forced.report.guard.refused, false);
  for (const n of joinedSince) assert.equal(routesOf(world, n), 0);
  world.clock.advance(60_000);
  assert.equal((await world.sync()).report.status, 'ok');
});
