/** Networks and instances, made by calls as anybody's EC2 takes them. */
import {
  CreateSubnetCommand,
  CreateVpcCommand,
  DescribeRouteTablesCommand,
  type EC2Client,
  type Instance,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2';
import { present, reaches } from '../contract/ec2-bench.ts';

export async function makeVpc(client: EC2Client, CidrBlock: string): Promise<string> {
  return present((await client.send(new CreateVpcCommand({ CidrBlock }))).Vpc?.VpcId);
}

export async function makeSubnet(client: EC2Client, VpcId: string, CidrBlock: string): Promise<string> {
  return present((await client.send(new CreateSubnetCommand({ VpcId, CidrBlock }))).Subnet?.SubnetId);
}

export async function mainTable(client: EC2Client, vpcId: string): Promise<string> {
  const Filters = [
    { Name: 'vpc-id', Values: [vpcId] },
    { Name: 'association.main', Values: ['true'] },
  ];
  return present((await client.send(new DescribeRouteTablesCommand({ Filters }))).RouteTables?.[0]?.RouteTableId);
}

/** A running instance with one interface, which goes with it. */
export async function runInstance(client: EC2Client, SubnetId: string): Promise<Instance> {
  const { Instances = [] } = await client.send(
    new RunInstancesCommand({
      ImageId: 'ami-00000000000000001',
      InstanceType: 'm6g.large',
      MinCount: 1,
      MaxCount: 1,
      // As EC2 does by itself for the interface that comes with an instance; moto wants to be told.
      NetworkInterfaces: [{ DeviceIndex: 0, SubnetId, DeleteOnTermination: true }],
    }),
  );
  const instance = present(Instances[0]);
  await reaches(client, present(instance.InstanceId), 'running');
  return instance;
}
