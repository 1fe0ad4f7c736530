/** The model's security groups. */
import assert from 'node:assert/strict';
import { ip } from '../lab/command.ts';
import { kernelTest } from '../lab/kernel-test.ts';
import { addHost, checkOff, everyone, giveAddresses, modelVpc } from './model.ts';

kernelTest('nobody may send to an ENI whose group allows nobody', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b, c] = [await addHost(t, vpc, 1, 10), await addHost(t, vpc, 1, 11, []), await addHost(t, vpc, 2, 20)];
  for (const from of [a, c]) {
    assert.equal((await from.endpoint.echo(b.address)).outcome, 'silence');
    assert.equal((await from.endpoint.echo(b.ipv6)).outcome, 'silence');
  }
  await vpc.allowFrom(b.eniId, ['10.0.2.0/24', '2600:1f14:0:2::/64']);
  assert.equal((await a.endpoint.echo(b.address)).outcome, 'silence');
  assert.equal((await c.endpoint.echo(b.address)).outcome, 'answered');
  assert.equal((await c.endpoint.echo(b.ipv6)).outcome, 'answered');
});

kernelTest('groups are stateless: an answer must be allowed like anything else', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b] = [await addHost(t, vpc, 1, 10, []), await addHost(t, vpc, 1, 11)];
  assert.equal((await a.endpoint.echo(b.address)).outcome, 'silence');
  await vpc.allowFrom(a.eniId, [`${b.address}/32`]);
  assert.equal((await a.endpoint.echo(b.address)).outcome, 'answered');
});

kernelTest('a group that knows the nodes only lets no bare pod packet through', async (t) => {
  const vpc = await modelVpc(t);
  const [a, b] = [await addHost(t, vpc, 1, 10, ['10.0.0.0/16']), await addHost(t, vpc, 1, 11)];
  await checkOff(vpc, a.eniId, b.eniId);
  await giveAddresses(b, '10.244.2.5/32');
  await ip(a.namespace, `route add 10.244.2.5 via ${b.address} dev eth0`);
  assert.equal((await a.endpoint.echo('10.244.2.5')).outcome, 'silence', "the answer comes from the pod's address");
  await vpc.allowFrom(a.eniId, [...everyone]);
  assert.equal((await a.endpoint.echo('10.244.2.5')).outcome, 'answered');
});
