import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateRouteCommand, ModifyNetworkInterfaceAttributeCommand } from '@aws-sdk/client-ec2';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { runNodeRightsContract } from '../../../contract/node-rights-contract.ts';
import { clients, fixtureSandbox } from '../with-sandbox.ts';

const templateFile = fileURLToPath(new URL('../../../../infra/template.yaml', import.meta.url));
const sandbox = await fixtureSandbox({
  templateFile,
  stackName: 's',
  functions: false,
  parameters: { RouteTableIds: 'rtb-0aaaa,rtb-0bbbb' },
});
const tagged = await fixtureSandbox({
  templateFile,
  stackName: 's',
  functions: false,
  parameters: { RouteTableIds: 'rtb-0aaaa', RouteTableTag: 'blue' },
});

const denied = { name: 'AccessDeniedException' };
const unauthorized = { name: 'UnauthorizedOperation' };
const leases = { TableName: 's-LeasesTable' };

const as = (functionId: string, where = sandbox) => clients(where, `LAMBDA.${functionId}.1`);
const createRoute = (RouteTableId: string) =>
  new CreateRouteCommand({ RouteTableId, DestinationCidrBlock: '10.244.1.0/24', NetworkInterfaceId: 'eni-0aaaa' });
/** EC2's own refusals, which come after IAM has let the call through. */
const allowed = /^Invalid(RouteTableI[dD]|NetworkInterfaceI[dD])\./;

runNodeRightsContract('rights of nodes in the sandbox', async () => {
  const { dynamodb, ec2 } = clients(sandbox, 'NODEi-1');
  return { dynamodb, ec2, tables: { claims: 's-ClaimsTable', leases: 's-LeasesTable', map: 's-MapTable' } };
});

test('routes are written by the sync alone, and in the listed tables alone', async () => {
  for (const id of ['SyncRoutesFunction', 'ResyncFunction']) {
    for (const table of ['rtb-0aaaa', 'rtb-0bbbb']) {
      await assert.rejects(as(id).ec2.send(createRoute(table)), { name: allowed });
    }
    await assert.rejects(as(id).ec2.send(createRoute('rtb-0cccc')), unauthorized);
  }
  for (const id of ['KeepLeasesFunction', 'PublishLeaseChangesFunction']) {
    await assert.rejects(as(id).ec2.send(createRoute('rtb-0aaaa')), unauthorized);
  }
});

test('by tag, routes are written in tables that carry it alone', async () => {
  const table = (RouteTableId: string, Value: string) => ({
    RouteTableId,
    VpcId: 'vpc-0a',
    Routes: [],
    Associations: [],
    Tags: [{ Key: 'leaseway', Value }],
  });
  tagged.ec2.seed({ routeTables: [table('rtb-0blue', 'blue'), table('rtb-0red', 'red')] });
  const { ec2 } = as('SyncRoutesFunction', tagged);
  await assert.rejects(ec2.send(createRoute('rtb-0blue')), { name: allowed });
  await assert.rejects(ec2.send(createRoute('rtb-0red')), unauthorized);
});

test('the keeper alone writes leases and switches source/destination checks', async () => {
  const Item = { pk: { S: 'network#default' }, sk: { S: 'lease#10.244.1.0/24' } };
  await as('KeepLeasesFunction').dynamodb.send(new PutItemCommand({ ...leases, Item }));
  const off = new ModifyNetworkInterfaceAttributeCommand({
    NetworkInterfaceId: 'eni-0aaaa',
    SourceDestCheck: { Value: false },
  });
  await assert.rejects(as('KeepLeasesFunction').ec2.send(off), { name: allowed });
  for (const id of ['SyncRoutesFunction', 'ResyncFunction', 'PublishLeaseChangesFunction']) {
    await assert.rejects(as(id).dynamodb.send(new PutItemCommand({ ...leases, Item })), denied);
    await assert.rejects(as(id).ec2.send(off), unauthorized);
  }
});

test("functions publish events of Leaseway's source alone", async () => {
  const put = (Source: string) =>
    new PutEventsCommand({ Entries: [{ Source, DetailType: 'Lease Change', Detail: '{}' }] });
  await as('PublishLeaseChangesFunction').events.send(put('leaseway'));
  await assert.rejects(as('PublishLeaseChangesFunction').events.send(put('other')), denied);
});
