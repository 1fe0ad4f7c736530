/** The model's router and bridges: where a packet goes. */
import assert from 'node:assert/strict';
import { ip, readSysctl } from '../lab/command.ts';
import { kernelTest } from '../lab/kernel-test.ts';
import { addHost, checkOff, everyone, giveAddresses, mainTable, modelVpc, tableOf, toEni } from './model.ts';

kernelTest('hosts of one subnet and of two reach each other, with no table at all, over both families', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b, c] = [await addHost(t, vpc, 1, 10), await addHost(t, vpc, 1, 11), await addHost(t, vpc, 2, 20)];
  for (const [from, to] of [
    [a, b],
    [b, a],
    [a, c],
    [c, b],
  ] as const) {
    assert.deepEqual(await from.endpoint.echo(to.address), { outcome: 'answered', seenFrom: from.address });
    assert.deepEqual(await from.endpoint.echo(to.ipv6), { outcome: 'answered', seenFrom: from.ipv6 });
  }
});

kernelTest('frames between ENIs of one subnet are switched by MAC, whatever the tables say', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b] = [await addHost(t, vpc, 1, 10), await addHost(t, vpc, 1, 11)];
  await checkOff(vpc, a.eniId, b.eniId);
  await giveAddresses(b, '10.244.2.5/32', 'fd00:244:0:2::5/128');
  await vpc.applyRouteTables([mainTable('rtb-1', [toEni('10.244.0.0/16', a.eniId), toEni('fd00:244::/48', a.eniId)])]);
  await ip(a.namespace, `route add 10.244.2.0/24 via ${b.address} dev eth0`);
  await ip(a.namespace, `-6 route add fd00:244:0:2::/64 via ${b.ipv6} dev eth0`);
  assert.equal((await a.endpoint.echo('10.244.2.5')).outcome, 'answered');
  assert.equal((await a.endpoint.echo('fd00:244:0:2::5')).outcome, 'answered');
});

kernelTest('the table that applies is that of the subnet a frame came from', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b, c] = [await addHost(t, vpc, 1, 10), await addHost(t, vpc, 2, 20), await addHost(t, vpc, 2, 21)];
  await checkOff(vpc, b.eniId);
  await giveAddresses(b, '10.244.2.5/32', 'fd00:244:0:2::5/128');
  const routes = [toEni('10.244.2.0/24', b.eniId), toEni('fd00:244:0:2::/64', b.eniId)];
  await vpc.applyRouteTables([tableOf('rtb-1', 'subnet-1', routes), tableOf('rtb-2', 'subnet-2', [])]);
  for (const pod of ['10.244.2.5', 'fd00:244:0:2::5']) {
    assert.equal((await a.endpoint.echo(pod)).outcome, 'answered');
    assert.equal((await c.endpoint.echo(pod)).outcome, 'silence');
  }
  await vpc.applyRouteTables([tableOf('rtb-1', 'subnet-1', []), mainTable('rtb-2', routes)]);
  for (const pod of ['10.244.2.5', 'fd00:244:0:2::5']) {
    assert.equal((await a.endpoint.echo(pod)).outcome, 'silence');
    assert.equal((await c.endpoint.echo(pod)).outcome, 'answered', 'the main table serves a subnet without its own');
  }
});

kernelTest('a route to an ENI of the same subnet works by way of the router, and nobody is redirected', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b] = [await addHost(t, vpc, 1, 10), await addHost(t, vpc, 1, 11)];
  await checkOff(vpc, b.eniId);
  assert.equal((await b.endpoint.echo(a.ipv6)).outcome, 'answered');
  await giveAddresses(b, '10.244.2.5/32', 'fd00:244:0:2::5/128');
  const routes = [toEni('10.244.2.0/24', b.eniId), toEni('fd00:244:0:2::/64', b.eniId)];
  await vpc.applyRouteTables([mainTable('rtb-1', routes)]);
  for (let packet = 0; packet < 5; packet += 1) {
    assert.equal((await a.endpoint.echo('10.244.2.5')).outcome, 'answered');
    assert.equal((await a.endpoint.echo('fd00:244:0:2::5')).outcome, 'answered');
  }
  const received = await ip(a.namespace, '-s route show cache');
  assert.equal(received, '', 'a redirect would be an exception in the route cache');
  assert.equal(await readSysctl(a.namespace, 'net/ipv4/conf/eth0/accept_redirects'), '1', 'it would be believed');
});

kernelTest('addresses of the VPC are local before any table', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b, c] = [await addHost(t, vpc, 1, 10), await addHost(t, vpc, 2, 20), await addHost(t, vpc, 2, 21)];
  await checkOff(vpc, c.eniId);
  await giveAddresses(c, '10.0.2.99/32', `${b.address}/32`);
  await vpc.applyRouteTables([mainTable('rtb-1', [toEni('10.0.2.20/32', c.eniId), toEni('10.0.2.99/32', c.eniId)])]);
  assert.equal((await a.endpoint.echo(b.address)).outcome, 'answered');
  await vpc.power(b.eniId, false);
  assert.equal((await a.endpoint.echo(b.address)).outcome, 'silence', 'it went to its owner, not to the route');
  assert.equal((await a.endpoint.echo('10.0.2.99')).outcome, 'silence', 'an address of the VPC that nobody has');
});

kernelTest("a route's next hop is an ENI: another one with the same address takes over nothing", async (t) => {
  const vpc = await modelVpc(t);
  const [a, b] = [await addHost(t, vpc, 1, 10), await addHost(t, vpc, 2, 20)];
  await checkOff(vpc, b.eniId, 'eni-new');
  await giveAddresses(b, '10.244.2.5/32');
  await vpc.applyRouteTables([mainTable('rtb-1', [toEni('10.244.2.0/24', b.eniId)])]);
  assert.equal((await a.endpoint.echo('10.244.2.5')).outcome, 'answered');
  await vpc.detach(b.eniId);
  const { address, namespace } = b;
  await vpc.attach({ id: 'eni-new', subnetId: 'subnet-2', address, namespace, allowedFrom: everyone });
  await ip(namespace, `address add ${address}/24 dev eth0`);
  await ip(namespace, 'route add default via 10.0.2.1 dev eth0');
  assert.ok(await a.endpoint.reaches(address), 'the address itself has moved');
  assert.equal((await a.endpoint.echo('10.244.2.5')).outcome, 'silence', 'the route still names the ENI that is gone');
  await vpc.applyRouteTables([mainTable('rtb-1', [toEni('10.244.2.0/24', 'eni-new')])]);
  assert.equal((await a.endpoint.echo('10.244.2.5')).outcome, 'answered');
});

kernelTest('frames of 9001 octets cross, within a subnet and between two, in one piece', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b, c] = [await addHost(t, vpc, 1, 10), await addHost(t, vpc, 1, 11), await addHost(t, vpc, 2, 20)];
  for (const host of [b, c]) {
    assert.equal((await a.endpoint.echo(host.address, { bytes: 9001 - 28 })).outcome, 'answered');
    assert.equal((await a.endpoint.echo(host.ipv6, { bytes: 9001 - 48 })).outcome, 'answered');
    for (const family of ['', '-6 ']) {
      const [route] = JSON.parse(await ip(host.namespace, `${family}-j -d route show default`));
      assert.equal(route.dev, 'eth0');
    }
    const [link] = JSON.parse(await ip(host.namespace, '-j link show eth0'));
    assert.equal(link.mtu, 9001);
  }
});
