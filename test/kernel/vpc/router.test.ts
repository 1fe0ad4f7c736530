/** The commands that turn one state of the router into another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routeCommands, ruleCommands } from './router.ts';

const rows = (...entries: readonly (readonly [string, string])[]) => new Map(entries);

test('an unchanged state needs no command', () => {
  const state = rows(['10.244.1.0/24 table 2000', 'via inet6 fe80::e:1 dev s0 onlink']);
  assert.deepEqual(routeCommands(state, new Map(state)), []);
});

test('an IPv4 row is replaced in one step, an IPv6 row, which replace would double, in two', () => {
  const from = rows(['10.244.1.0/24 table 2000', 'blackhole'], ['fd00::/64 table 2000', 'blackhole']);
  const to = rows(
    ['10.244.1.0/24 table 2000', 'via inet6 fe80::e:1 dev s0 onlink'],
    ['fd00::/64 table 2000', 'via fe80::e:1 dev s0'],
  );
  assert.deepEqual(routeCommands(from, to), [
    'route replace 10.244.1.0/24 table 2000 via inet6 fe80::e:1 dev s0 onlink',
    'route del blackhole fd00::/64 table 2000',
    'route add fd00::/64 table 2000 via fe80::e:1 dev s0',
  ]);
});

test('a subnet that changes its table has the new rule before it loses the old one', () => {
  const commands = ruleCommands(rows(['pref 200 iif s0', 'lookup 2000']), rows(['pref 200 iif s0', 'lookup 2001']));
  assert.deepEqual(commands, ['rule add pref 200 iif s0 lookup 2001', 'rule del pref 200 iif s0 lookup 2000']);
});
