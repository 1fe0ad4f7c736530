import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../../shared/keeper/run-command.ts';
import { sweep } from '../../../shared/keeper/sweep.ts';
import { netConf, served, World } from '../../fakes/keeper/world.ts';

const dualStack = { ...netConf, EnableIPv6: true, IPv6Network: 'fd00:244::/48', IPv6SubnetLen: 64 };

function subnets(world: World): string[] {
  return world.leases.leases.map(
    ({ subnet, ipv6Subnet, state }) => `${subnet.text} ${ipv6Subnet?.text ?? '-'} ${state}`,
  );
}

/** A running node, a stopped one and a reservation. */
async function settled(config: object): Promise<World> {
  const world = new World(config);
  for (const number of [1, 2, 9]) world.ec2.run(number);
  await world.join('i-1');
  await world.join('i-2');
  await runCommand(
    { ...world.ports(), ...served, routeTableIds: netConf.Backend.RouteTableID },
    { command: 'reserve', subnet: '10.244.9.0/24', eniId: 'eni-9' },
  );
  world.ec2.instance('i-2').state = 'stopped';
  world.now += 1000;
  await sweep(world.ports());
  return world;
}

const both = [
  '10.244.1.0/24 fd00:244:0:1::/64 active',
  '10.244.2.0/24 fd00:244:0:2::/64 withdrawn',
  '10.244.9.0/24 fd00:244:0:9::/64 reserved',
];
const ipv4Alone = ['10.244.1.0/24 - active', '10.244.2.0/24 - withdrawn', '10.244.9.0/24 - reserved'];

for (const [change, before, after, expected] of [
  ['off', dualStack, netConf, [both, ipv4Alone]],
  ['on', netConf, dualStack, [ipv4Alone, both]],
] as const) {
  test(`IPv6 switched ${change} reaches every held lease with the next sweep, without a renewal`, async () => {
    const world = await settled(before);
    assert.deepEqual(subnets(world), expected[0]);
    world.configure(after);
    const report = await sweep(world.ports());
    assert.deepEqual(subnets(world), expected[1]);
    assert.equal(report.changed.length, 3);
    const again = await sweep(world.ports());
    assert.deepEqual(again.changed, []);
  });
}

test('a lease without a place in the new network waits for its node', async () => {
  const world = await settled(dualStack);
  world.configure({ ...dualStack, Network: '10.245.0.0/16' });
  await sweep(world.ports());
  assert.deepEqual(subnets(world), both);
});
