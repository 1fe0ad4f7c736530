/** Counts the EC2 calls of a join on the embedded AWS: the real functions, from their bundles. */
import { fileURLToPath } from 'node:url';
import { DynamoDBClient, ListTablesCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { startSandbox } from '../infra/sandbox/sandbox.ts';
import { sandboxAccount, sandboxRegion } from '../infra/sandbox/service.ts';

const created = { Origin: 'CreateRouteTable', State: 'active' };

function instance(n: number) {
  const place = { VpcId: 'vpc-1', SubnetId: 'subnet-1', PrivateIpAddress: `10.1.0.${n}` };
  const Attachment = { AttachmentId: `eni-attach-${n}`, DeviceIndex: 0, Status: 'attached' };
  return {
    InstanceId: `i-${n}`,
    State: { Code: 16, Name: 'running' },
    ...place,
    NetworkInterfaces: [{ NetworkInterfaceId: `eni-${n}`, ...place, SourceDestCheck: true, Attachment }],
  };
}

/** Calls of the second of two nodes that join: the first one's pay for what is read once. */
export async function callsOfJoin(tableIds: readonly string[]): Promise<number> {
  const sandbox = await startSandbox({
    templateFile: fileURLToPath(new URL('../infra/template.yaml', import.meta.url)),
    parameters: { RouteTableIds: tableIds.join(',') },
    world: {
      config: { Network: '10.244.0.0/16', SubnetLen: 24, Backend: { Type: 'aws-vpc', RouteTableID: tableIds } },
      leases: [],
      instances: { Reservations: [{ ReservationId: 'r-1', Instances: [1, 2].map(instance) }] },
      routeTables: {
        RouteTables: tableIds.map((RouteTableId) => ({
          RouteTableId,
          VpcId: 'vpc-1',
          Routes: [{ DestinationCidrBlock: '10.1.0.0/16', GatewayId: 'local', ...created }],
        })),
      },
    },
  });
  const credentials = { accessKeyId: 'ADMIN', secretAccessKey: 'none' };
  const dynamo = new DynamoDBClient({ endpoint: sandbox.url, region: sandboxRegion, credentials });
  try {
    const { TableNames = [] } = await dynamo.send(new ListTablesCommand({}));
    const TableName = TableNames.find((name) => name.includes('Claims'));
    for (const n of [1, 2]) {
      await sandbox.idle();
      sandbox.calls.clear();
      const pk = { S: `arn:aws:ec2:${sandboxRegion}:${sandboxAccount}:instance/i-${n}` };
      const Item = { pk, sk: { S: 'claim' }, claimId: { S: `join-${n}` }, network: { S: 'default' } };
      await dynamo.send(new PutItemCommand({ TableName, Item }));
      await sandbox.idle();
    }
    return sandbox.calls.calls.filter(({ service }) => service === 'ec2').length;
  } finally {
    dynamo.destroy();
    await sandbox.close();
  }
}
