import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sandboxWorld } from '../../cli/sandbox-world.ts';
import { parseNetworkConfig } from '../../shared/domain/parse-network-config.ts';
import { refusesWith } from '../shared/domain/refusal.ts';
import { blackhole, instances, lease, local, row, worldFile } from '../shared/domain/world-file.ts';
import { leaseway } from './leaseway.ts';
import { sandboxProcess } from './sandbox-process.ts';

/** Its second instance is stopped and its third past its expiry, which only its instances and its clock tell. */
const settling = worldFile({
  leases: [lease(1, { state: null, vtepMac: null }), lease(2), lease(3, { expiresAt: 1_780_000_000 })],
  states: { 'i-1': 'running', 'i-2': 'stopped', 'i-3': 'running' },
  tables: { 'rtb-1': [local, row('10.244.1.0/24', 'eni-9'), blackhole('10.244.2.0/24', 'eni-2')] },
});

const statesOf = (world: unknown) =>
  (sandboxWorld(world).world['leases'] as readonly { readonly state: string }[]).map(({ state }) => state);

describe('the world that a sandbox begins with', () => {
  it('has each lease in the state that its instance and the clock give it', () => {
    assert.deepEqual(statesOf(settling), ['active', 'withdrawn', 'stale']);
  });

  it('may be empty, and null is the same as to leave out', () => {
    assert.deepEqual(sandboxWorld({}), { world: { leases: [] }, tableIds: [], warnings: [] });
    const members = ['now', 'config', 'leases', 'instances', 'routeTables', 'options'];
    const nulls = sandboxWorld(Object.fromEntries(members.map((key) => [key, null])));
    assert.deepEqual([nulls.tableIds, nulls.warnings, nulls.world['leases']], [[], [], []]);
  });

  it('names the field that is wrong, as a plan of the file does', () => {
    refusesWith(() => sandboxWorld([]), 'world', /is not an object/);
    refusesWith(() => sandboxWorld({ routeTables: 'rtb-1' }), 'routeTables', /describe-route-tables/);
    refusesWith(() => sandboxWorld({ leases: [{ subnet: '10.244.1.0/24' }] }), 'leases[0].instanceId', /is missing/);
    refusesWith(() => sandboxWorld({ instances: [[]] }), 'instances[0]', /is not an object/);
  });

  it('refuses members that a plan of the file refuses', () => {
    refusesWith(() => sandboxWorld({ lease: [] }), 'lease', /is leases meant\?/);
    refusesWith(() => sandboxWorld({ options: { routelimit: 5 } }), 'options.routelimit', /is routeLimit meant\?/);
    refusesWith(() => sandboxWorld({ options: { routeLimit: 'many' } }), 'options.routeLimit', /positive/);
    refusesWith(() => sandboxWorld({ options: { force: 7 } }), 'options.force', /digest/);
    const [table] = (settling['routeTables'] as { RouteTables: object[] }).RouteTables;
    const twice = { ...settling, routeTables: { RouteTables: [table, table] } };
    refusesWith(() => sandboxWorld(twice), 'routeTables.RouteTables[1].RouteTableId', /a second time/);
  });

  it('comes with a warning when the stack will refuse it, and when an option does nothing', () => {
    const inVpc = { ...settling, config: { ...(settling['config'] as object), Network: '10.0.0.0/16' } };
    assert.match(sandboxWorld(inVpc).warnings.join(), /^world: the stack refuses it: config\.Network: overlaps/);
    const forced = { ...settling, options: { force: 'a47f191ac976a689' } };
    assert.match(sandboxWorld(forced).warnings.join(), /^options\.force: is ignored/);
    assert.deepEqual(sandboxWorld({ ...settling, options: { force: false } }).warnings, []);
  });

  it('tells the network of the route limit that its options give', () => {
    const limited = sandboxWorld({ ...settling, options: { routeLimit: 2 } }).world['config'];
    assert.equal(parseNetworkConfig(limited, { field: 'config' }).routeLimit, 2);
    assert.deepEqual(sandboxWorld(settling).world['config'], settling['config']);
  });

  it('lets the functions write the listed tables, else all of them', () => {
    const listed = worldFile({ listed: ['rtb-2'], tables: { 'rtb-1': [local], 'rtb-2': [local] } });
    assert.deepEqual(sandboxWorld(listed).tableIds, ['rtb-2']);
    const { config: _config, routeTables, ...rest } = listed;
    const { RouteTables } = routeTables as { RouteTables: unknown[] };
    assert.deepEqual(sandboxWorld({ ...rest, routeTables: RouteTables }).tableIds, ['rtb-1', 'rtb-2']);
  });

  it('comes with a warning when it has leases and no instances', () => {
    const warningsOf = (world: unknown) => sandboxWorld(world).warnings.join();
    assert.match(warningsOf(worldFile({ leases: [lease(1)] })), /^world: has leases and no instances: /);
    assert.equal(warningsOf(settling), '');
    assert.equal(warningsOf(worldFile({ leases: [lease(1, { state: 'released' })] })), '');
  });
});

describe('a sandbox plans its world at once as a plan of the file does', () => {
  const { instances: _instances, ...bare } = settling;
  const stopped = { ...settling, instances: instances({ 'i-2': 'stopped' }) };
  for (const [name, world, warning] of [
    ['with a stopped instance', stopped, /^$/],
    ['with a route limit', { ...stopped, options: { routeLimit: 1 } }, /^$/],
    ['without instances, with a warning', bare, /^world: has leases and no instances/],
  ] as const) {
    it(name, async () => {
      const sandbox = await sandboxProcess(world);
      try {
        const [live, file] = await Promise.all([
          sandbox.run(['plan', '--json']),
          leaseway(['plan', '--world', '-', '--json'], { input: JSON.stringify(world) }),
        ]);
        assert.deepEqual(live.stdout, file.stdout);
        assert.match(sandbox.warnings(), warning);
      } finally {
        assert.equal(await sandbox.stop(), 0);
      }
    });
  }
});
