/** An embedded EC2 with a small VPC in it, behind this project's own clients. */
import type { TestContext } from 'node:test';
import { DescribeNetworkInterfacesCommand, StopInstancesCommand } from '@aws-sdk/client-ec2';
import { ec2Client, ec2WriteClient } from '../../../shared/aws/clients.ts';
import { present, reaches } from '../../contract/ec2-bench.ts';
import { startEc2, type TestEc2 } from '../../infra/sandbox/ec2/ec2-server.ts';

export const vpcId = 'vpc-1';

const local = { DestinationCidrBlock: '10.0.0.0/16', GatewayId: 'local', Origin: 'CreateRouteTable', State: 'active' };
const made = { Origin: 'CreateRoute', State: 'active' };

const instance = (number: number, ...moreInterfaces: object[]) => ({
  InstanceId: `i-${number}`,
  State: { Name: 'running' },
  VpcId: vpcId,
  SubnetId: `subnet-${number}`,
  PrivateIpAddress: `10.0.${number}.10`,
  NetworkInterfaces: [
    {
      NetworkInterfaceId: `eni-${number}`,
      SubnetId: `subnet-${number}`,
      VpcId: vpcId,
      PrivateIpAddress: `10.0.${number}.10`,
      SourceDestCheck: true,
      Attachment: { DeviceIndex: 0, Status: 'attached', AttachmentId: `eni-attach-${number}` },
    },
    ...moreInterfaces,
  ],
});

export async function smallVpc(t: TestContext) {
  const server: TestEc2 = await startEc2();
  t.after(() => server.close());
  server.ec2.seed({
    vpcs: [
      { VpcId: vpcId, CidrBlock: '10.0.0.0/16' },
      { VpcId: 'vpc-2', CidrBlock: '10.9.0.0/16' },
    ],
    subnets: [
      { SubnetId: 'subnet-1', VpcId: vpcId, CidrBlock: '10.0.1.0/24' },
      { SubnetId: 'subnet-2', VpcId: vpcId, CidrBlock: '10.0.2.0/24' },
    ],
    routeTables: [
      {
        RouteTableId: 'rtb-1',
        VpcId: vpcId,
        Associations: [{ Main: true }],
        Routes: [
          local,
          { DestinationCidrBlock: '0.0.0.0/0', NatGatewayId: 'nat-1', ...made },
          { DestinationIpv6CidrBlock: '::/0', EgressOnlyInternetGatewayId: 'eigw-1', ...made },
          { DestinationPrefixListId: 'pl-1', GatewayId: 'vpce-1', ...made },
        ],
      },
      { RouteTableId: 'rtb-2', VpcId: vpcId, Associations: [{ SubnetId: 'subnet-1' }], Routes: [local] },
      { RouteTableId: 'rtb-9', VpcId: 'vpc-2', Associations: [{ Main: true }] },
    ],
    instances: [instance(1), instance(2)],
  });
  const options = {
    region: 'eu-central-1',
    endpoint: server.url,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  const reads = ec2Client(options);
  const writes = ec2WriteClient(options);
  t.after(() => {
    reads.destroy();
    writes.destroy();
  });
  return { server, reads, writes };
}

/** The instance that the ENI is attached to stops. */
export async function stopInstanceOf({ client }: TestEc2, eniId: string): Promise<void> {
  const command = new DescribeNetworkInterfacesCommand({ NetworkInterfaceIds: [eniId] });
  const id = present((await client.send(command)).NetworkInterfaces?.[0]?.Attachment?.InstanceId);
  await client.send(new StopInstancesCommand({ InstanceIds: [id] }));
  await reaches(client, id, 'stopped');
}
