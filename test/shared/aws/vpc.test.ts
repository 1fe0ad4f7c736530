import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listedVpc } from '../../../shared/aws/vpc.ts';
import { parseNetworkConfig } from '../../../shared/domain/parse-network-config.ts';
import { FakeRouteTables, foreignRow, rowOf } from '../../fakes/reconcile/route-tables.ts';

const config = parseNetworkConfig({
  Network: '10.244.0.0/16',
  SubnetLen: 24,
  Backend: { Type: 'aws-vpc', RouteTableID: 'rtb-1' },
  Leaseway: { Protected: ['10.244.250.0/24'] },
});

function tables(): FakeRouteTables {
  const fake = new FakeRouteTables();
  fake.addTable({ id: 'rtb-1', isMain: true });
  fake.addTable({ id: 'rtb-2' });
  fake.addTable({ id: 'rtb-9', vpcId: 'vpc-2' });
  return fake;
}

test('says what VPC the listed tables are of, and its ranges', async () => {
  const fake = tables();
  fake.plant('rtb-2', foreignRow('10.8.0.0/16', 'local', 'CreateRouteTable'));
  const facts = await listedVpc(fake, ['rtb-1', 'rtb-2']).read(config);
  assert.equal(facts.vpcId, 'vpc-1');
  assert.deepEqual(facts.vpcCidrs.map(({ text }) => text).sort(), ['10.0.0.0/16', '10.8.0.0/16']);
});

test('lists foreign rows inside the network, of any listed table, once', async () => {
  const fake = tables();
  fake.plant(
    'rtb-1',
    rowOf('10.244.1.0/24', 'eni-1'),
    foreignRow('10.244.2.0/24', 'nat-1'),
    rowOf('10.244.3.0/25', 'eni-1'),
    rowOf('10.244.250.0/24', 'eni-1'),
    foreignRow('0.0.0.0/0', 'nat-1'),
    foreignRow('10.245.1.0/24', 'nat-1'),
    foreignRow('pl-1', 'vpce-1'),
  );
  fake.plant('rtb-2', foreignRow('10.244.2.0/24', 'nat-2'), foreignRow('10.244.9.0/24', 'pcx-1'));
  const { foreign } = await listedVpc(fake, ['rtb-1', 'rtb-2']).read(config);
  assert.deepEqual(foreign.map(({ text }) => text).sort(), [
    '10.244.2.0/24',
    '10.244.250.0/24',
    '10.244.3.0/25',
    '10.244.9.0/24',
  ]);
});

test('lists rows of ours that work, of any listed table, once', async () => {
  const fake = tables();
  fake.interfaces('attached', 'eni-1');
  fake.plant('rtb-1', rowOf('10.244.1.0/24', 'eni-1'), rowOf('10.244.2.0/24', 'eni-1'));
  fake.plant('rtb-1', rowOf('10.244.4.0/24', 'eni-gone', 'blackhole'), foreignRow('10.244.5.0/24', 'nat-1'));
  fake.plant('rtb-2', rowOf('10.244.2.0/24', 'eni-1'), rowOf('10.244.3.0/24', 'eni-1'));
  const { routed } = await listedVpc(fake, ['rtb-1', 'rtb-2']).read(config);
  assert.deepEqual(routed.map(({ text }) => text).sort(), ['10.244.1.0/24', '10.244.2.0/24', '10.244.3.0/24']);
});

test('passes over a listed table that EC2 does not know, unless it knows none', async () => {
  assert.equal((await listedVpc(tables(), ['rtb-1', 'rtb-7']).read(config)).vpcId, 'vpc-1');
  await assert.rejects(listedVpc(tables(), ['rtb-7', 'rtb-8']).read(config), {
    name: 'InvalidInput',
    message: 'ROUTE_TABLE_IDS: EC2 knows none of these tables (got ["rtb-7","rtb-8"])',
  });
});

test('names listed tables that are of several VPCs', async () => {
  await assert.rejects(listedVpc(tables(), ['rtb-1', 'rtb-9']).read(config), {
    name: 'InvalidInput',
    message: 'ROUTE_TABLE_IDS: the tables are of several VPCs: rtb-1 in vpc-1, rtb-9 in vpc-2',
  });
});

test('hands up a read that fails', async () => {
  const fake = tables();
  fake.faults.add({ action: 'DescribeRouteTables', meaning: 'throttled' });
  await assert.rejects(listedVpc(fake, ['rtb-1']).read(config), { meaning: 'throttled' });
});
