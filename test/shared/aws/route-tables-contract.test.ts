import type { TestContext } from 'node:test';
import { ec2RouteTables } from '../../../shared/aws/route-tables.ts';
import { type RouteTablesSubject, runRouteTablesContract } from '../../contract/route-tables-contract.ts';
import { runVpcContract } from '../../contract/vpc-contract.ts';
import { FakeRouteTables, foreignRow } from '../../fakes/reconcile/route-tables.ts';
import { smallVpc, stopInstanceOf, vpcId } from './ec2-subject.ts';

const place = {
  vpcId,
  main: 'rtb-1',
  foreign: ['0.0.0.0/0 -> nat-1 active', '::/0 -> eigw-1 active', 'pl-1 -> vpce-1 active'],
  named: 'rtb-2',
  subnetId: 'subnet-1',
  elsewhere: 'rtb-9',
  eni: 'eni-1',
  otherEni: 'eni-2',
};

async function embedded(t: TestContext): Promise<RouteTablesSubject> {
  const { server, reads, writes } = await smallVpc(t);
  return {
    ...place,
    tables: ec2RouteTables({ reads, writes }),
    stop: (eniId) => stopInstanceOf(server, eniId),
    setLimit: (tableId, routes) => server.ec2.setRouteLimit(tableId, routes),
  };
}

async function inMemory(): Promise<RouteTablesSubject> {
  const tables = new FakeRouteTables();
  tables.addTable({ id: 'rtb-1', isMain: true });
  tables.addTable({ id: 'rtb-2', subnetIds: ['subnet-1'] });
  tables.addTable({ id: 'rtb-9', vpcId: 'vpc-2', isMain: true });
  tables.plant('rtb-1', foreignRow('0.0.0.0/0', 'nat-1'), foreignRow('::/0', 'eigw-1'), foreignRow('pl-1', 'vpce-1'));
  tables.interfaces('attached', 'eni-1', 'eni-2');
  return {
    ...place,
    tables,
    stop: async (eniId) => tables.interfaces('stopped', eniId),
    setLimit: (tableId, routes) => {
      tables.limits.set(tableId, routes);
    },
  };
}

for (const [where, make] of Object.entries({ 'of EC2': embedded, 'in memory': inMemory })) {
  runRouteTablesContract(`route tables ${where}`, make);
  runVpcContract(`VPC ${where}`, make);
}
