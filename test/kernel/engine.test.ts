/** The engine on a real kernel, one node: what it writes, keeps, repairs and removes. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { hybrid, leaseOf, makeLab, mapOf, needsRoot, uplink } from './engine-lab.ts';

const four = [1, 2, 3, 4].map((n) => leaseOf(n));
const ours = `ip route show proto 76; ip -6 route show proto 76; ip neigh show nud permanent
  ip -6 neigh show nud permanent; bridge fdb show dev lw-1; bridge fdb show dev lw6-1`;

const golden = `unreachable 10.244.0.0/16 metric 2076
unreachable 10.244.1.0/24 metric 4278198272
10.244.2.0/24 via 10.0.1.11 dev eth0 src 10.0.1.10 metric 2076
10.244.3.0/24 via 10.0.1.12 dev eth0 src 10.0.1.10 metric 2076
10.244.4.0/24 via 10.244.4.0 dev lw-1 metric 2076 onlink
unreachable fd00:244:0:1::/64 dev lo metric 4278198272 pref medium
fd00:244:0:2::/64 via fd00:1::11 dev eth0 src fd00:1::10 metric 2076 pref medium
fd00:244:0:3::/64 via fd00:1::12 dev eth0 src fd00:1::10 metric 2076 pref medium
fd00:244:0:4::/64 via fe80::ff:fe00:4 dev lw6-1 metric 2076 pref medium
unreachable fd00:244::/48 dev lo metric 2076 pref medium
10.244.4.0 dev lw-1 lladdr 02:00:00:00:00:04 PERMANENT
fe80::ff:fe00:4 dev lw6-1 lladdr 02:00:00:00:00:04 PERMANENT
fe80::ff:fe00:4 dev lw6-1 lladdr 02:00:00:00:00:04 PERMANENT
02:00:00:00:00:04 dst 10.0.2.13 self permanent
02:00:00:00:00:04 dst fd00:2::13 self permanent
`;

const trimmed = (text: string): string => text.replaceAll(/ +$/gm, '');

test('one run programs host-gw and vxlan of both families, and a second run sends no netlink message', {
  skip: needsRoot,
}, async (t) => {
  const lab = await makeLab(t);
  await lab.writeMap(mapOf(four));
  const first = await lab.agent('run', '--once');
  assert.equal(first.code, 0, first.stderr);
  assert.equal(trimmed(await lab.sh(ours)), golden);
  assert.equal(
    await readFile(join(lab.folder, 'subnet.env'), 'utf8'),
    'FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET=10.244.1.1/24\nFLANNEL_IPV6_NETWORK=fd00:244::/48\n' +
      'FLANNEL_IPV6_SUBNET=fd00:244:0:1::1/64\nFLANNEL_MTU=1430\nFLANNEL_IPMASQ=false\n',
  );
  await lab.sh(
    `ip monitor link address route neigh > ${lab.folder}/monitor 2>&1 & echo $! > ${lab.folder}/pid; sleep 1`,
  );
  const second = await lab.agent('run', '--once');
  assert.equal(second.code, 0, second.stderr);
  await lab.sh(`ip link set lo mtu 65535; sleep 1; kill $(cat ${lab.folder}/pid)`);
  const said = (await readFile(join(lab.folder, 'monitor'), 'utf8'))
    .split('\n')
    .filter((line) => !/: lo:|loopback|^$/.test(line));
  assert.deepEqual(said, []);
});

test('a link that went down and up has lost its IPv6 address: IPv4 is restored without waiting for it', {
  skip: needsRoot,
}, async (t) => {
  const lab = await makeLab(t);
  await lab.sh('ip -6 addr flush dev eth0 scope global');
  await lab.writeMap(mapOf(four));
  const once = await lab.agent('run', '--once', '--masquerade');
  assert.equal(once.code, 2, once.stderr);
  assert.match(once.stderr, /eth0 has no IPv6 address at present/);
  const ipv4 = (text: string): string => text.replaceAll(/^.*(fd00|fe80|pref medium).*\n/gm, '');
  assert.equal(trimmed(await lab.sh(ours.replace('; bridge fdb show dev lw6-1', ''))), ipv4(golden));
  await lab.sh('ip addr add fd00:1::10/64 dev eth0 nodad');
  const agent = lab.start('--masquerade');
  await lab.until('all is programmed', async () => trimmed(await lab.sh(ours).catch(() => '')) === golden);
  await lab.until('it masquerades both', async () => (await lab.sh('nft list tables')).split('leaseway').length === 3);
  const masquerade = await lab.sh('nft list table ip6 leaseway');

  await lab.sh('ip link set eth0 down; ip link set eth0 up; ip route add default via 10.0.1.1');
  await lab.until('IPv4 is restored', async () => ipv4(trimmed(await lab.sh(ours))) === ipv4(golden));
  assert.match(await lab.sh('ip -6 route show proto 76'), /fd00:244:0:4::\/64 via fe80::ff:fe00:4 dev lw6-1/);
  assert.equal(await lab.sh('nft list table ip6 leaseway'), masquerade);
  const status = JSON.parse((await lab.agent('status', '--json')).stdout) as { ready: boolean; problems: string[] };
  assert.equal(status.ready, true);
  assert.match(status.problems.join(), /eth0 has no IPv6 address at present/);

  await lab.sh('ip addr add fd00:1::10/64 dev eth0 nodad');
  await lab.until('IPv6 is restored', async () => trimmed(await lab.sh(ours)) === golden);
  assert.equal(await agent.stop(), 0);
});

test('the plan printed is what a run does, and changes nothing', { skip: needsRoot }, async (t) => {
  const lab = await makeLab(t);
  await lab.writeMap(mapOf(four));
  const before = await lab.snapshot();
  const { code, stdout } = await lab.agent('run', '--plan');
  assert.equal(code, 0);
  assert.equal(await lab.snapshot(), before);
  await lab.sh(stdout);
  assert.equal(trimmed(await lab.sh(ours)), golden);
  assert.equal((await lab.agent('run', '--plan')).stdout, '');
});

test('everything that others break comes back, and cleanup leaves the namespace as it was', {
  skip: needsRoot,
}, async (t) => {
  const lab = await makeLab(t);
  await lab.sh('sysctl -qw net.ipv4.conf.eth0.rp_filter=1');
  const before = await lab.snapshot();
  const devices = 'ip -o -d link show lw-1; ip -o -d link show lw6-1; ip -o addr show lw-1; ip -o addr show lw6-1';
  const state = async (): Promise<string> => trimmed(await lab.sh(`${ours}; ${devices}`)).replaceAll(/^\d+: /gm, '');
  await lab.writeMap(mapOf(four));
  const agent = lab.start('--rp-filter', 'loose', '--forwarding', '--masquerade');
  await lab.until('all is programmed', async () => (await lab.sh('nft list tables')).includes('leaseway'));
  await lab.until('it is ready', async () => JSON.parse((await lab.agent('status', '--json')).stdout).ready === true);
  const good = await state();
  const rules = await lab.sh('nft list ruleset');
  assert.ok(good.startsWith(golden));
  for (const damage of [
    'ip link set eth0 down; ip link set eth0 up; ip addr add fd00:1::10/64 dev eth0 nodad; ip route add default via 10.0.1.1',
    'ip link del lw-1',
    'ip link set lw6-1 down',
    'ip link set lw-1 down; ip link set lw-1 up',
    'ip link set lw-1 address 02:00:00:00:00:99; ip link set lw-1 mtu 1400; ip addr flush dev lw-1',
    'ip link set lw-1 type vxlan id 1 local 10.0.1.99 dev far0 learning',
    'ip link del lw-1; ip link add lw-1 type vxlan id 7 dstport 4789 dev eth0; ip link set lw-1 up',
    'ip route del 10.244.2.0/24; ip route replace 10.244.4.0/24 via 10.0.1.77 proto 76 metric 2076',
    'ip neigh replace 10.244.4.0 lladdr 02:00:00:00:00:77 dev lw-1 nud permanent; ip -6 neigh del fe80::ff:fe00:4 dev lw6-1',
    'bridge fdb del 02:00:00:00:00:04 dev lw-1; bridge fdb replace 02:00:00:00:00:04 dev lw6-1 dst fd00:9::9 self permanent',
    'bridge fdb append 00:00:00:00:00:00 dev lw-1 dst 10.0.9.9 self permanent; bridge fdb add 02:00:00:00:00:55 dev lw-1 dst 10.0.9.9',
    'ip route add 10.244.77.0/24 via 10.0.1.77 proto 76 metric 9',
    'nft flush table ip leaseway',
    `ip link del eth0; ${uplink}`,
  ]) {
    await lab.sh(damage);
    await lab.until(`healed after: ${damage}\n${agent.stderr()}`, async () => (await state().catch(() => '')) === good);
  }
  await lab.until('the rules are back', async () => (await lab.sh('nft list ruleset')) === rules);
  assert.equal(await agent.stop(), 0);
  assert.equal(await state(), good, 'a graceful stop leaves traffic flowing');
  const cleaned = await lab.agent('cleanup');
  assert.equal(cleaned.code, 0, cleaned.stderr);
  // The uplink was made anew above: its index, MAC and link-local addresses are others.
  const withoutIds = (text: string): string =>
    text
      .replaceAll(/^\d+: /gm, '')
      .replaceAll(/([0-9a-f]{2}:){5}[0-9a-f]{2}|fe80::[0-9a-f:]+|ff02::1:ff[0-9a-f:]+/g, 'id')
      .split('\n')
      .sort()
      .join('\n');
  assert.equal(withoutIds(await lab.snapshot()).replace('0\n0\n', ''), withoutIds(before).replace('0\n1\n', ''));
});

test('4,000 peers are complete after one run, and a further run changes nothing', { skip: needsRoot }, async (t) => {
  const lab = await makeLab(t);
  const config = { ...hybrid, Network: '10.224.0.0/11', EnableIPv6: false, IPv6Network: undefined };
  const many = Array.from({ length: 4001 }, (_, n) => leaseOf(n + 1, { ipv6Subnet: undefined, nodeIpv6: undefined }));
  await lab.writeMap(mapOf(many, config));
  const first = await lab.agent('run', '--once');
  assert.equal(first.code, 0, first.stderr);
  assert.equal(await lab.sh('ip route show proto 76 | wc -l'), '4002\n');
  assert.equal(await lab.sh('ip neigh show nud permanent | wc -l'), '3998\n');
  assert.equal(await lab.sh('bridge fdb show dev lw-1 | wc -l'), '3998\n');
  assert.equal((await lab.agent('run', '--plan')).stdout, '');
});
