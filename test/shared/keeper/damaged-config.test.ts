/** A `config` item that somebody damaged: it stops grants, and the next `network-apply` repairs it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runCommand } from '../../../shared/keeper/run-command.ts';
import { sweep } from '../../../shared/keeper/sweep.ts';
import { Session } from '../../fakes/keeper/faults.ts';
import { netConf, World } from '../../fakes/keeper/world.ts';

const damaged: readonly Record<string, unknown>[] = [
  {},
  { config: 5, revision: 'x' },
  { config: '{', revision: 3, appliedAt: 1 },
  { config: JSON.stringify(netConf), appliedAt: 'yesterday' },
  { revision: 7 },
  { revision: -1.5, appliedAt: -1 },
];

describe('a damaged configuration', () => {
  for (const item of damaged) {
    test(JSON.stringify(item).slice(0, 60), async () => {
      const world = new World(netConf);
      world.ec2.run(1);
      await world.join('i-1');
      world.leases.items.set('config', item);
      const ports = {
        ...world.ports(new Session()),
        network: 'default',
        routeTableIds: ['rtb-a', 'rtb-b', 'rtb-c', 'rtb-d'],
      };
      const list = await runCommand(ports, { command: 'list' });
      assert.equal(list.ok, true);
      assert.equal((await runCommand(ports, { command: 'network-show' })).ok, true);
      assert.equal((await sweep(ports)).errors.length, 0);
      assert.equal(world.leases.lease('10.244.1.0/24')?.state, 'active');
      const applied = await runCommand(ports, { command: 'network-apply', config: netConf });
      assert.equal(applied.ok, true, JSON.stringify(applied));
      world.ec2.run(2);
      await world.join('i-2');
      assert.equal(world.leases.lease('10.244.2.0/24')?.state, 'active');
    });
  }
});
