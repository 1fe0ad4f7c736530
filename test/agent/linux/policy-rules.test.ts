/** Which policy rules are worth a question to the kernel, and what its answers mean. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyRuleProblems } from '../../../agent/linux/policy-rules.ts';
import { CommandFailed } from '../../../agent/linux/runner.ts';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import { factsOf } from '../../shared/domain/node-world.ts';

const network = parseCidr('10.244.0.0/16', 'network');
const local = { priority: 0, src: 'all', table: '255' };
const main = { priority: 32766, src: 'all', table: '254' };
const own = { priority: 10001, src: '10.0.1.10', table: '10001' };
const ways = [
  { subnet: '10.244.2.0/24', path: 'host-gw', via: '10.0.1.11', dev: 'eth0' },
  { subnet: '10.244.4.0/24', path: 'host-gw', via: '10.0.1.12', dev: 'eth0' },
  { subnet: '10.244.5.0/24', path: null, via: null, dev: null },
] as const;
const past = { dst: '10.244.2.0', from: '10.0.1.10', gateway: '10.0.1.1', dev: 'eth0', table: '10001' };

async function problemsOf(rules: readonly object[] | CommandFailed, answer: object | CommandFailed = past) {
  const asked: string[] = [];
  const runner = {
    run: async () => undefined,
    output: async (argv: readonly string[]) => {
      const isRule = argv.includes('rule');
      if (!isRule) asked.push(argv.slice(argv.indexOf('get') + 1).join(' '));
      const said = isRule ? rules : answer;
      if (said instanceof CommandFailed) throw said;
      return JSON.stringify(isRule ? said : [said]);
    },
  };
  const sources = { facts: factsOf(), links: [], own: [parseCidr('10.244.1.0/24', 'own')] };
  return { problems: await policyRuleProblems(runner, [network], ways, sources), asked };
}

test('R5: where nothing comes before table main the kernel is not asked', async () => {
  const unsupported = new CommandFailed(['ip'], 2, 'RTNETLINK answers: Operation not supported');
  const ownMain = { ...main, priority: 9000, protocol: '4' };
  for (const rules of [[local, main], [main, local, own], [local, ownMain, own], [], unsupported]) {
    assert.deepEqual(await problemsOf(rules), { problems: [], asked: [] });
  }
});

test('R5: a rule in front is no trouble by itself: one peer of each path is asked for, and its answer tells', async () => {
  const partly = { priority: 1000, src: 'all', table: '254', suppress_prefixlen: 0 };
  const { problems, asked } = await problemsOf([local, partly, own, main]);
  assert.deepEqual(asked, ['10.244.2.0 from 10.0.1.10']);
  assert.equal(problems.length, 1);
  const right = { ...past, gateway: '10.0.1.11' };
  for (const answer of [right, { ...past, table: '254' }]) {
    assert.deepEqual((await problemsOf([local, own, main], answer)).problems, []);
  }
  const unreachable = new CommandFailed(['ip'], 2, 'RTNETLINK answers: Network is unreachable');
  assert.match((await problemsOf([local, own, main], unreachable)).problems[0] ?? '', /are not routed, past our rows/);
});
