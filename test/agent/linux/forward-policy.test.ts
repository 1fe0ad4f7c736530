/** Chains that hold up what pods send. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forwardPolicyProblems } from '../../../agent/linux/forward-policy.ts';
import { CommandFailed } from '../../../agent/linux/runner.ts';

/** A host that has these tools and files, by the command that reads them. */
function host(said: Readonly<Record<string, string | object>>) {
  return {
    run: async () => undefined,
    output: async (argv: readonly string[]) => {
      const answer = said[argv.join(' ')];
      if (answer === undefined) throw new CommandFailed(argv, null, `spawn ${argv[0]} ENOENT`);
      return typeof answer === 'string' ? answer : JSON.stringify(answer);
    },
  };
}

const chain = (family: string, table: string, name: string, hook: string, policy: string) => ({
  chain: { family, table, name, hook, policy },
});
const rule = (...expr: readonly object[]) => ({ rule: { family: 'ip', table: 'filter', chain: 'FORWARD', expr } });
const counter = { counter: { packets: 0, bytes: 0 } };
const pass = 'packets of pods pass only where a rule there accepts them';

test('L6: a forward chain with the policy drop is named', async () => {
  const chains = [
    { metainfo: {} },
    chain('ip', 'filter', 'FORWARD', 'forward', 'drop'),
    chain('ip', 'filter', 'INPUT', 'input', 'drop'),
    chain('ip6', 'filter', 'FORWARD', 'forward', 'accept'),
  ];
  assert.deepEqual(await forwardPolicyProblems(host({ 'nft -j list chains': { nftables: chains } })), [
    `chain ip filter FORWARD has the policy drop: ${pass}`,
  ]);
  assert.deepEqual(await forwardPolicyProblems(host({})), []);
});

test('R6: a forward chain that ends by rejecting everything is named, whoever wrote it', async () => {
  const problems = (...rules: readonly object[]) => {
    const one = chain('ip', 'filter', 'FORWARD', 'forward', 'accept');
    return forwardPolicyProblems(
      host({
        'nft -j list chains': { nftables: [one] },
        'nft -j list chain ip filter FORWARD': { nftables: [one, ...rules] },
      }),
    );
  };
  const accept = rule({ match: {} }, { accept: null });
  const ends = [
    rule({ reject: { type: 'icmpx', expr: 'admin-prohibited' } }),
    rule(counter, { drop: null }),
    rule({ log: { prefix: 'forward: ' } }, { drop: null }),
    rule(counter, { xt: { type: 'target', name: 'REJECT' } }),
  ];
  for (const last of ends) {
    assert.deepEqual(await problems(accept, last), [
      `chain ip filter FORWARD ends with a rule that lets nothing through: ${pass}`,
    ]);
  }
  assert.deepEqual(await problems(), []);
  assert.deepEqual(await problems(...ends, accept), []);
  assert.deepEqual(await problems(rule({ match: {} }, { drop: null })), []);
  assert.deepEqual(await problems(rule(counter, { xt: { type: 'target', name: 'LOG' } })), []);
});

test('R6: a chain of the older iptables is named as well, and its table is not made by looking', async () => {
  const names = 'cat /proc/net/ip_tables_names';
  const look = 'iptables-legacy -S FORWARD';
  assert.deepEqual(await forwardPolicyProblems(host({ [names]: 'nat\nfilter\n', [look]: '-P FORWARD DROP\n' })), [
    `chain FORWARD of iptables-legacy has the policy DROP: ${pass}`,
  ]);
  const reject =
    '-P FORWARD ACCEPT\n-A FORWARD -i lo -j ACCEPT\n-A FORWARD -j REJECT --reject-with icmp-host-prohibited\n';
  assert.deepEqual(await forwardPolicyProblems(host({ [names]: 'filter\n', [look]: reject })), [
    `chain FORWARD of iptables-legacy ends with a rule that lets nothing through: ${pass}`,
  ]);
  assert.deepEqual(await forwardPolicyProblems(host({ [names]: 'nat\n', [look]: '-P FORWARD DROP\n' })), []);
  const open = '-P FORWARD ACCEPT\n-A FORWARD -s 10.9.0.0/16 -j DROP\n';
  assert.deepEqual(await forwardPolicyProblems(host({ [names]: 'filter\n', [look]: open })), []);
});
