import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import { forgottenTables } from '../../../shared/domain/config-change.ts';
import { parseNetworkConfig } from '../../../shared/domain/parse-network-config.ts';
import { withoutRetired, withRetired } from '../../../shared/domain/retire.ts';

const netConf = {
  network: '10.244.0.0/16',
  subnetlen: 24,
  backend: { type: 'aws-vpc', routetableid: ['rtb-a', 'rtb-b'] },
};
const range = { network: parseCidr('10.9.0.0/16', 'network'), subnetLen: 24, routeTableIds: [] };
const table = { network: null, subnetLen: null, routeTableIds: ['rtb-b'] };

test('retiring keeps the spelling of the file and what else is in it', () => {
  assert.deepEqual(withRetired(netConf, range), {
    ...netConf,
    Leaseway: { Retired: [{ Network: '10.9.0.0/16', SubnetLen: 24 }] },
  });
  const both = withRetired({ ...netConf, leaseway: { mode: 'observe', retired: [{ RouteTableID: 'rtb-z' }] } }, table);
  assert.deepEqual(both, {
    network: '10.244.0.0/16',
    subnetlen: 24,
    backend: { type: 'aws-vpc', routetableid: ['rtb-a'] },
    leaseway: { mode: 'observe', retired: [{ RouteTableID: 'rtb-z' }, { RouteTableID: ['rtb-b'] }] },
  });
});

test('an entry is taken out again, however it is spelt, and one that is not there is told', () => {
  const listed = {
    ...netConf,
    Leaseway: { Retired: [{ routeTableId: 'rtb-b' }, { subnetLen: 24, network: '10.9.0.0/16' }] },
  };
  assert.deepEqual(withoutRetired(listed, table)?.['Leaseway'], {
    Retired: [{ subnetLen: 24, network: '10.9.0.0/16' }],
  });
  assert.deepEqual(withoutRetired(listed, range)?.['Leaseway'], { Retired: [{ routeTableId: 'rtb-b' }] });
  assert.equal(withoutRetired(netConf, table), null);
});

test('a table that is neither listed nor retired any more is forgotten', () => {
  const before = parseNetworkConfig(netConf);
  const without = { ...netConf, backend: { type: 'aws-vpc', routetableid: ['rtb-a'] } };
  assert.deepEqual(forgottenTables(before, parseNetworkConfig(without)), ['rtb-b']);
  assert.deepEqual(forgottenTables(before, parseNetworkConfig(withRetired(netConf, table))), []);
});

test('the case of table ids is free, as that of keys is', () => {
  const spelt = { Backend: { Type: 'aws-vpc', RouteTableID: ['RTB-A', 'RTB-B'] } };
  assert.deepEqual(withRetired(spelt, table)['Backend'], { Type: 'aws-vpc', RouteTableID: ['RTB-A'] });
  assert.deepEqual(withoutRetired({ Leaseway: { Retired: [{ RouteTableID: 'RTB-B' }] } }, table)?.['Leaseway'], {
    Retired: [],
  });
});
