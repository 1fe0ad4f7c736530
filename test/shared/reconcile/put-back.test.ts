import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NetworkMap } from '../../../shared/domain/map.ts';
import { isEarlier } from '../../../shared/domain/map-place.ts';
import { inState, lease, netConf, SyncWorld, tableIds } from './sync-world.ts';

const minute = 60_000;
const fallback = { Fallback: { Type: 'vxlan', DirectRouting: true } };

/** The map table at one moment. */
interface Backup {
  readonly map: NetworkMap;
  readonly state: string;
}

function backup(world: SyncWorld): Backup {
  const { current } = world.maps;
  assert.ok(current !== null && world.state.json !== null);
  return { map: current, state: world.state.json };
}

/** A restore takes its time, so that what it brings back is old when the next sync reads it. */
function restore(world: SyncWorld, { map, state }: Backup): void {
  world.clock.advance(20 * minute);
  world.maps.published.push(map);
  world.state.json = state;
}

/** The map of a node that has heard of every map so far, in their order. */
function nodeMap(world: SyncWorld): NetworkMap {
  return world.maps.published.reduce((held, map) => (isEarlier(map, held) ? held : map));
}

async function syncs(world: SyncWorld, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    world.clock.advance(minute);
    await world.sync();
  }
}

describe('a map table that is put back to an earlier time', () => {
  test('gets a map that nodes take, with the next sync', async () => {
    const world = new SyncWorld();
    await world.settle(lease(1));
    const old = backup(world);
    await world.settle(lease(2), lease(3), lease(4));
    restore(world, old);
    assert.equal(nodeMap(world).leases.length, 4);
    world.leases.put(inState(4, 'released'));
    const { report } = await world.sync();
    assert.equal(report.map.renewed, true);
    assert.deepEqual(nodeMap(world), world.maps.current);
    assert.equal(nodeMap(world).leases.length, 3);
  });

  test('also when the leases are again what its map says', async () => {
    const world = new SyncWorld();
    await world.settle(lease(1));
    const old = backup(world);
    await world.settle(lease(2));
    world.leases.put(inState(2, 'released'));
    restore(world, old);
    await world.sync();
    assert.deepEqual(
      nodeMap(world).leases.map(({ subnet }) => subnet),
      ['10.244.1.0/24'],
    );
  });

  test('also when its epoch is older than the one that nodes have', async () => {
    const world = new SyncWorld();
    await world.settle(lease(1));
    const old = backup(world);
    world.maps.isDamaged = true;
    await world.settle(lease(2));
    assert.ok((world.maps.current?.epoch ?? 0) > old.map.epoch);
    restore(world, old);
    await world.sync();
    assert.deepEqual(nodeMap(world), world.maps.current);
  });

  test('also when its head alone was put back, a moment ago', async () => {
    const world = new SyncWorld();
    await world.settle(lease(1));
    const old = backup(world);
    await world.settle(lease(2), lease(3));
    world.maps.published.push(old.map);
    assert.equal((await world.sync()).report.map.renewed, true);
    assert.deepEqual(nodeMap(world), world.maps.current);
    assert.equal(nodeMap(world).leases.length, 3);
  });

  test('also when its sync item is gone', async () => {
    const world = new SyncWorld();
    await world.settle(lease(1));
    const old = backup(world);
    await world.settle(lease(2));
    world.maps.published.push(old.map);
    world.state.json = null;
    await world.sync();
    assert.deepEqual(nodeMap(world), world.maps.current);
  });

  test('whatever the clock says', async () => {
    const world = new SyncWorld();
    await world.settle(lease(1));
    const old = backup(world);
    world.clock.advance(minute);
    world.maps.published.push({ ...old.map, epoch: world.clock.now() + 5 * minute });
    await syncs(world, 1);
    world.maps.published.push(old.map);
    await world.sync();
    assert.deepEqual(nodeMap(world), world.maps.current);
  });

  test('once: after that syncs are quiet again', async () => {
    const world = new SyncWorld();
    await world.settle(lease(1));
    const old = backup(world);
    await world.settle(lease(2));
    restore(world, old);
    await syncs(world, 3);
    const { published } = world.maps;
    const count = published.length;
    await syncs(world, 10);
    assert.equal(published.length, count);
  });

  test('is served by one newer epoch although the answer to its publishing was lost', async () => {
    const world = new SyncWorld();
    await world.settle(lease(1));
    restore(world, backup(world));
    const count = world.maps.published.length;
    world.maps.onPublish = () => {
      world.maps.onPublish = () => {};
      const { current } = world.maps;
      if (current !== null) world.maps.published.push({ ...current, epoch: world.clock.now(), revision: 1 });
    };
    await world.sync();
    assert.equal(world.maps.published.length, count + 1);
  });
});

test('syncs that come every minute keep the epoch, whatever they publish', async () => {
  const world = new SyncWorld(netConf({}, fallback));
  await world.settle(lease(1), lease(2));
  const epoch = world.maps.current?.epoch;
  for (const state of ['withdrawn', 'active', 'released'] as const) {
    world.leases.put(inState(2, state));
    await syncs(world, 4);
  }
  assert.equal(world.maps.current?.epoch, epoch);
});

test('a route that went since the map of the backup is in no map that follows', async () => {
  const world = new SyncWorld(netConf({}, fallback));
  await world.settle(lease(1), lease(2));
  const old = backup(world);
  assert.deepEqual(old.map.leases[1]?.routedIn, [...tableIds]);
  world.leases.configure(netConf({ Mode: 'observe' }, fallback));
  world.tables.uproot('rtb-2', '10.244.2.0/24');
  await syncs(world, 2);
  assert.deepEqual(world.maps.current?.leases[1]?.routedIn, ['rtb-1', 'rtb-3']);
  restore(world, old);
  const before = world.maps.published.length;
  await syncs(world, 2);
  const after = world.maps.published.slice(before);
  assert.ok(after.length > 0);
  for (const map of after) assert.deepEqual(map.leases[1]?.routedIn, ['rtb-1', 'rtb-3']);
});

test('a new lease is in the map before its routes are written, after a restore too', async () => {
  const world = new SyncWorld(netConf({}, fallback));
  await world.settle(lease(1));
  restore(world, backup(world));
  world.tables.interfaces('attached', 'eni-2');
  world.leases.put(lease(2));
  let shown: number | undefined;
  world.tables.onWrite = () => {
    shown ??= world.maps.current?.leases.length;
  };
  await world.sync();
  assert.equal(shown, 2);
});

test('a route of a live lease that will go is announced anew, to nodes that may not have heard of it', async () => {
  const world = new SyncWorld(netConf({ RouteLimit: 3 }, { Fallback: { Type: 'vxlan' } }));
  await world.settle(lease(1), lease(2), lease(3));
  world.leases.configure(netConf({ RouteLimit: 2 }, { Fallback: { Type: 'vxlan' } }));
  await world.sync();
  const announced = backup(world);
  world.leases.configure(netConf({ RouteLimit: 3 }, { Fallback: { Type: 'vxlan' } }));
  await syncs(world, 3);
  assert.deepEqual(nodeMap(world).leases[2]?.routedIn, [...tableIds]);
  restore(world, announced);
  world.leases.configure(netConf({ RouteLimit: 2 }, { Fallback: { Type: 'vxlan' } }));
  world.forget();
  await world.sync();
  assert.equal(world.count('DeleteRoute'), 0);
  assert.deepEqual(nodeMap(world).leases[2]?.routedIn, []);
  await syncs(world, 1);
  assert.equal(world.count('DeleteRoute'), 3);
});
