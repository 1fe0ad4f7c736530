/** What the model loses, and that it loses it without a word. */
import assert from 'node:assert/strict';
import { inNamespace, ip, run } from '../lab/command.ts';
import { kernelTest } from '../lab/kernel-test.ts';
import { addHost, checkOff, datagramsAt, everyone, giveAddresses, mainTable, modelVpc, toEni } from './model.ts';

kernelTest('unknown destinations, blackholes and dead ENIs are silence', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b, c] = [await addHost(t, vpc, 1, 10), await addHost(t, vpc, 2, 20), await addHost(t, vpc, 2, 21)];
  await checkOff(vpc, b.eniId, c.eniId);
  await giveAddresses(b, '10.244.2.5/32', '10.244.3.5/32', 'fd00:244:0:3::5/128');
  await giveAddresses(c, '10.244.4.5/32');
  await vpc.applyRouteTables([
    mainTable('rtb-1', [
      toEni('10.244.2.0/24', b.eniId),
      toEni('10.244.3.0/24', b.eniId, 'blackhole'),
      toEni('fd00:244:0:3::/64', b.eniId, 'blackhole'),
      toEni('10.244.4.0/24', c.eniId),
      { DestinationCidrBlock: '0.0.0.0/0', GatewayId: 'igw-1', State: 'active' },
    ]),
  ]);
  assert.equal((await a.endpoint.echo('10.244.2.5')).outcome, 'answered');
  assert.equal((await a.endpoint.echo('10.244.4.5')).outcome, 'answered');
  const silent = async (to: string) => assert.deepEqual(await a.endpoint.echo(to), { outcome: 'silence' }, to);
  for (const to of ['10.0.2.99', '10.244.7.5', '198.51.100.7', '10.244.3.5', 'fd00:244:0:3::5', '2001:db8::1'])
    await silent(to);
  await vpc.power(b.eniId, false);
  await silent('10.244.2.5');
  await vpc.power(b.eniId, true);
  assert.ok(await a.endpoint.reaches('10.244.2.5'), 'it is back when its instance runs');
  await vpc.detach(c.eniId);
  await silent('10.244.4.5');
  await silent(c.address);
});

kernelTest('the router sends no ICMP error and answers no packet itself', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b] = [await addHost(t, vpc, 1, 10), await addHost(t, vpc, 2, 20)];
  assert.equal((await a.endpoint.echo(b.address)).outcome, 'answered');
  assert.deepEqual(await a.endpoint.echo('10.0.1.1'), { outcome: 'silence' });
  await ip(a.namespace, 'route replace default via 10.0.1.1 dev eth0 hoplimit 1');
  assert.deepEqual(await a.endpoint.echo(b.address), { outcome: 'silence' }, 'its TTL ends at the router');
});

kernelTest('with the source/destination check on, a host sends and takes its own addresses only', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b] = [await addHost(t, vpc, 1, 10), await addHost(t, vpc, 1, 11)];
  await giveAddresses(a, '10.244.1.5/32', 'fd00:244:0:1::5/128');
  await giveAddresses(b, '10.244.2.5/32', 'fd00:244:0:2::5/128');
  const toPods = (from: typeof a, to: typeof b, pod: string, pod6: string, src: string, src6: string) =>
    Promise.all([
      ip(from.namespace, `route add ${pod} via ${to.address} dev eth0 src ${src}`),
      ip(from.namespace, `-6 route add ${pod6} via ${to.ipv6} dev eth0 src ${src6}`),
    ]);
  await toPods(a, b, '10.244.2.5', 'fd00:244:0:2::5', '10.244.1.5', 'fd00:244:0:1::5');
  await toPods(b, a, '10.244.1.5', 'fd00:244:0:1::5', '10.244.2.5', 'fd00:244:0:2::5');
  const pods = async (expected: string) => {
    for (const pod of ['10.244.2.5', 'fd00:244:0:2::5']) assert.equal((await a.endpoint.echo(pod)).outcome, expected);
  };
  const before = await datagramsAt(b);
  await pods('silence');
  await checkOff(vpc, a.eniId);
  await pods('silence');
  assert.equal(await datagramsAt(b), before, 'b, whose check is on, is given nothing for its pods');
  await checkOff(vpc, b.eniId);
  await pods('silence');
  assert.equal(await datagramsAt(b), before, 'a, whose check is on, can send nothing from its pods');
  await checkOff(vpc, a.eniId, b.eniId);
  await pods('answered');
  assert.equal(await datagramsAt(b), before + 1, 'IPv6 counts elsewhere');
  await vpc.applyNetworkInterfaces([
    { NetworkInterfaceId: a.eniId, SourceDestCheck: true },
    { NetworkInterfaceId: b.eniId },
  ]);
  await pods('silence');
  assert.equal((await a.endpoint.echo(b.address)).outcome, 'answered', 'the nodes themselves are not concerned');
});

kernelTest('the check looks at frames from the router, too', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b] = [await addHost(t, vpc, 1, 10), await addHost(t, vpc, 2, 20)];
  await giveAddresses(b, '10.244.2.5/32');
  await vpc.applyRouteTables([mainTable('rtb-1', [toEni('10.244.2.0/24', b.eniId)])]);
  assert.equal((await a.endpoint.echo('10.244.2.5')).outcome, 'silence');
  await checkOff(vpc, b.eniId);
  assert.equal((await a.endpoint.echo('10.244.2.5')).outcome, 'answered');
});

kernelTest('a frame under another MAC than the ENI has goes nowhere', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b] = [await addHost(t, vpc, 1, 10), await addHost(t, vpc, 1, 11)];
  await checkOff(vpc, a.eniId, b.eniId);
  const { mac } = vpc.eni(a.eniId);
  assert.equal((await a.endpoint.echo(b.address)).outcome, 'answered');
  await ip(a.namespace, `neigh replace ${b.address} lladdr ${vpc.eni(b.eniId).mac} dev eth0 nud permanent`);
  const before = await datagramsAt(b);
  await ip(a.namespace, 'link set eth0 address 0a:ff:00:00:99:99');
  assert.notEqual((await a.endpoint.echo(b.address)).outcome, 'answered');
  assert.equal(await datagramsAt(b), before);
  await ip(a.namespace, `link set eth0 address ${mac}`);
  assert.ok(await a.endpoint.reaches(b.address));
});

kernelTest('addresses resolve for ENIs and the router only, whoever else would answer', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b, c] = [await addHost(t, vpc, 1, 10), await addHost(t, vpc, 1, 11), await addHost(t, vpc, 2, 20)];
  await checkOff(vpc, a.eniId, b.eniId);
  // Linux answers ARP for every address it has, on whichever link.
  await giveAddresses(b, '10.0.1.77/32', '2600:1f14:0:1::77/128');
  await ip(c.namespace, 'route add 10.0.1.0/24 dev eth0 src 10.0.2.20');
  const macOf = async (host: typeof a, address: string) => {
    await host.endpoint.echo(address, { timeoutMs: 200 });
    const entries = JSON.parse(await ip(host.namespace, `-j neigh show to ${address} dev eth0`)) as {
      lladdr?: string;
    }[];
    return entries[0]?.lladdr;
  };
  const routerMac = vpc.subnet('subnet-1').routerMac;
  assert.equal(await macOf(a, b.address), vpc.eni(b.eniId).mac);
  assert.equal(await macOf(a, b.ipv6), vpc.eni(b.eniId).mac);
  assert.equal(await macOf(a, '10.0.1.1'), routerMac);
  assert.equal((await a.endpoint.echo(c.ipv6)).outcome, 'answered');
  assert.equal(await macOf(a, 'fe80::1'), routerMac);
  for (const nobody of ['10.0.1.77', '10.0.1.99', '10.0.1.255', '2600:1f14:0:1::77', '2600:1f14:0:1::99']) {
    assert.equal(await macOf(a, nobody), undefined, nobody);
  }
  assert.equal(await macOf(c, b.address), undefined, 'an ENI of another subnet');
  assert.equal(await macOf(c, '10.0.1.1'), undefined, "another subnet's router");
  const known = JSON.parse(await ip(b.namespace, `-j neigh show to ${a.address} dev eth0`)) as { lladdr?: string }[];
  assert.ok(known.length === 0 || known[0]?.lladdr === vpc.eni(a.eniId).mac);
});

kernelTest('a node does not learn a new MAC from the ARP requests of its peer', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b] = [await addHost(t, vpc, 1, 10), await addHost(t, vpc, 1, 11)];
  assert.equal((await a.endpoint.echo(b.address)).outcome, 'answered');
  const oldMac = vpc.eni(b.eniId).mac;
  await ip(a.namespace, `neigh replace ${b.address} lladdr ${oldMac} dev eth0 nud reachable`);
  await vpc.detach(b.eniId);
  const { address, namespace } = b;
  await vpc.attach({ id: 'eni-new', subnetId: 'subnet-1', address, namespace, allowedFrom: everyone });
  await ip(namespace, `address add ${address}/24 dev eth0`);
  await b.endpoint.echo(a.address);
  const [entry] = JSON.parse(await ip(a.namespace, `-j neigh show to ${address} dev eth0`));
  assert.equal(entry.lladdr, oldMac);
});

kernelTest('broadcast and multicast reach nobody, not even without the source/destination check', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b] = [await addHost(t, vpc, 1, 10), await addHost(t, vpc, 1, 11)];
  await checkOff(vpc, a.eniId, b.eniId);
  assert.equal((await a.endpoint.echo(b.address)).outcome, 'answered');
  const frames = async () => JSON.parse(await ip(b.namespace, '-j -s link show eth0'))[0].stats64.rx.packets as number;
  const before = await frames();
  const send = `
    const { createSocket } = require('node:dgram');
    const v4 = createSocket('udp4').bind(0, () => {
      v4.setBroadcast(true);
      for (const to of ['255.255.255.255', '10.0.1.255', '224.0.0.251']) v4.send('x', 7, to);
      setTimeout(() => v4.close(), 50);
    });
    const v6 = createSocket('udp6');
    v6.send('x', 7, 'ff02::1%eth0');
    setTimeout(() => v6.close(), 50);`;
  await run(inNamespace(a.namespace, [process.execPath, '-e', send]));
  // Gratuitous ARP as a node sends it when its link comes up.
  await run(inNamespace(a.namespace, ['sh', '-c', 'echo 1 > /proc/sys/net/ipv4/conf/eth0/arp_notify']));
  await ip(a.namespace, 'link set eth0 down');
  await ip(a.namespace, 'link set eth0 up');
  await ip(a.namespace, 'neigh replace 10.0.1.11 lladdr 0a:ff:00:00:00:02 dev eth0 nud permanent');
  assert.equal(await frames(), before);
  assert.equal((await a.endpoint.echo(b.address)).outcome, 'answered', 'and yet frames for the host itself arrive');
});
