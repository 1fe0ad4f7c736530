import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sweep } from '../../../shared/keeper/sweep.ts';
import type { FakeInstance } from '../../fakes/keeper/ec2.ts';
import { netConf, World } from '../../fakes/keeper/world.ts';

type Eni = FakeInstance['interfaces'][number];

/** Instances i-1, which holds a lease by its second interface eni-9, and i-2, which holds none. */
async function cluster(config: object = netConf): Promise<{ world: World; eni: Eni }> {
  const world = new World(config);
  world.ec2.run(1);
  world.ec2.run(2);
  const eni = { ...world.ec2.eni('i-1'), eniId: 'eni-9', isPrimary: false, privateIp: '10.0.1.200' };
  world.ec2.instance('i-1').interfaces.push(eni);
  await world.join('i-1', { eniId: 'eni-9' });
  assert.equal(world.leases.leases[0]?.eniId, 'eni-9');
  world.now += 1000;
  return { world, eni };
}

function detach({ world, eni }: { world: World; eni: Eni }): void {
  const instance = world.ec2.instance('i-1');
  instance.interfaces = instance.interfaces.filter((each) => each !== eni);
}

function moveToSecond(cast: { world: World; eni: Eni }): void {
  detach(cast);
  cast.eni.instanceId = 'i-2';
  cast.world.ec2.instance('i-2').interfaces.push(cast.eni);
}

const placeOf = (world: World, subnet = '10.244.1.0/24') => {
  const lease = world.leases.lease(subnet);
  return `${lease?.instanceId} ${lease?.eniId} ${lease?.nodeIp} ${lease?.segment} ${lease?.state}`;
};

test('an interface that EC2 shows at another instance is no longer the next hop: the lease goes to its primary one', async () => {
  const cast = await cluster();
  moveToSecond(cast);
  cast.world.ec2.eni('i-1').sourceDestCheck = true;
  const { changed } = await sweep(cast.world.ports());
  assert.deepEqual(changed, [{ subnet: '10.244.1.0/24', state: 'active' }]);
  assert.equal(placeOf(cast.world), 'i-1 eni-1 10.0.1.10 null active');
  assert.equal(cast.world.ec2.eni('i-1').sourceDestCheck, false, 'or it would forward nothing');
  await sweep(cast.world.ports());
  assert.equal(placeOf(cast.world), 'i-1 eni-1 10.0.1.10 null active');
});

test('nor is one that is attached nowhere', async () => {
  const cast = await cluster();
  const { world, eni } = cast;
  detach(cast);
  eni.instanceId = null;
  world.ec2.instances.set('unattached', { state: 'running', interfaces: [eni] });
  await sweep(world.ports());
  assert.equal(placeOf(world), 'i-1 eni-1 10.0.1.10 null active');
});

test('the other instance claims with it and gets a subnet of its own, before and after that', async () => {
  for (const isSweptFirst of [true, false]) {
    const cast = await cluster();
    const { world } = cast;
    moveToSecond(cast);
    if (isSweptFirst) await sweep(world.ports());
    await world.join('i-2', { eniId: 'eni-9' });
    await sweep(world.ports());
    assert.equal(placeOf(world), 'i-1 eni-1 10.0.1.10 null active');
    assert.equal(placeOf(world, '10.244.2.0/24'), 'i-2 eni-9 10.0.1.200 subnet-1 active');
  }
});

test('the next claim says where the node is: by its primary interface it has its segment again', async () => {
  const cast = await cluster();
  moveToSecond(cast);
  await sweep(cast.world.ports());
  assert.equal((await cast.world.join('i-1', { eniId: 'eni-9' })).status, 'pending');
  assert.equal(placeOf(cast.world), 'i-1 eni-1 10.0.1.10 null active');
  assert.equal((await cast.world.join('i-1')).status, 'granted');
  assert.equal(placeOf(cast.world), 'i-1 eni-1 10.0.1.10 subnet-1 active');
});

test('an operator address of the node stays', async () => {
  const cast = await cluster();
  const { world } = cast;
  const lease = world.leases.leases[0];
  assert.ok(lease);
  world.leases.put({ ...lease, advertise: { ipv4: '198.51.100.7', ipv6: null } });
  moveToSecond(cast);
  await sweep(world.ports());
  assert.equal(placeOf(world), 'i-1 eni-1 198.51.100.7 null active');
});

test('one that EC2 does not list at all is unknown, and the lease stays', async () => {
  const cast = await cluster();
  detach(cast);
  await sweep(cast.world.ports());
  assert.equal(placeOf(cast.world), 'i-1 eni-9 10.0.1.200 subnet-1 active');
});

test('readings that disagree about the interface conclude nothing', async () => {
  const cast = await cluster();
  const { world } = cast;
  const ports = world.ports();
  const describeInterfaces: typeof ports.ec2.describeInterfaces = async (ids) =>
    (await ports.ec2.describeInterfaces(ids)).map((eni) => ({ ...eni, instanceId: 'i-2' }));
  await sweep({ ...ports, ec2: { ...ports.ec2, describeInterfaces } });
  assert.equal(placeOf(world), 'i-1 eni-9 10.0.1.200 subnet-1 active');
});

test('an instance that is stopped, or has no interface of that VPC, keeps its lease where it is', async () => {
  for (const change of [
    (world: World) => {
      world.ec2.instance('i-1').state = 'stopped';
    },
    (world: World) => {
      world.ec2.eni('i-1').vpcId = 'vpc-2';
    },
  ]) {
    const cast = await cluster();
    moveToSecond(cast);
    change(cast.world);
    await sweep(cast.world.ports());
    assert.match(placeOf(cast.world), /^i-1 eni-9 /);
  }
});
