/** What the EC2 contract needs to run, and the steps its cases share. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AttachNetworkInterfaceCommand,
  CreateNetworkInterfaceCommand,
  CreateRouteCommand,
  CreateRouteTableCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  DescribeInstancesCommand,
  DescribeRouteTablesCommand,
  type EC2Client,
  type InstanceStateName,
  type Route,
  type RouteTable,
  RunInstancesCommand,
  type RunInstancesCommandInput,
} from '@aws-sdk/client-ec2';

export interface Ec2UnderTest {
  readonly client: EC2Client;
  /** Moves EC2's clock. */
  advance(seconds: number): void;
  /** Sets the routes quota of a table, or of all. */
  setRouteLimit(routeTableId: string | undefined, limit: number): void;
  /** Puts in a row that no call can make. */
  plantRoute(routeTableId: string, route: Readonly<Record<string, string>>): void;
  close(): Promise<void>;
}

export type MakeEc2 = () => Promise<Ec2UnderTest>;

/** A VPC 10.0.0.0/16 with a subnet 10.0.1.0/24 and a route table beside the main one. */
export interface Network {
  readonly ec2: Ec2UnderTest;
  readonly client: EC2Client;
  readonly vpcId: string;
  readonly ipv6Block: string;
  readonly subnetId: string;
  readonly table: string;
}

/** Cases by the behaviour they show; each gets a fresh EC2. */
export type Cases = Readonly<Record<string, (network: Network) => Promise<void>>>;

export function present<Value>(value: Value | undefined): Value {
  assert.notEqual(value, undefined);
  return value as Value;
}

export async function makeNetwork(ec2: Ec2UnderTest): Promise<Network> {
  const { client } = ec2;
  const { Vpc } = await client.send(
    new CreateVpcCommand({ CidrBlock: '10.0.0.0/16', AmazonProvidedIpv6CidrBlock: true }),
  );
  const vpcId = present(Vpc?.VpcId);
  const ipv6Block = present(Vpc?.Ipv6CidrBlockAssociationSet?.[0]?.Ipv6CidrBlock);
  const subnetIpv6 = ipv6Block.replace(/\/56$/, '/64');
  const { Subnet } = await client.send(
    new CreateSubnetCommand({ VpcId: vpcId, CidrBlock: '10.0.1.0/24', Ipv6CidrBlock: subnetIpv6 }),
  );
  const subnetId = present(Subnet?.SubnetId);
  return { ec2, client, vpcId, ipv6Block, subnetId, table: await makeTable(client, vpcId) };
}

export async function makeTable(client: EC2Client, vpcId: string): Promise<string> {
  const { RouteTable } = await client.send(new CreateRouteTableCommand({ VpcId: vpcId }));
  return present(RouteTable?.RouteTableId);
}

export async function makeInterface(client: EC2Client, subnetId: string): Promise<string> {
  const { NetworkInterface } = await client.send(new CreateNetworkInterfaceCommand({ SubnetId: subnetId }));
  return present(NetworkInterface?.NetworkInterfaceId);
}

/** Attaches a further interface to an instance that has one; its id. */
export async function attachInterface(client: EC2Client, subnetId: string, InstanceId: string): Promise<string> {
  const NetworkInterfaceId = await makeInterface(client, subnetId);
  await client.send(new AttachNetworkInterfaceCommand({ InstanceId, NetworkInterfaceId, DeviceIndex: 1 }));
  return NetworkInterfaceId;
}

export interface Node {
  readonly instanceId: string;
  readonly eniId: string;
}

export async function runNode(
  { client, subnetId }: Network,
  options: Partial<RunInstancesCommandInput> = {},
): Promise<Node> {
  const { Instances } = await client.send(
    new RunInstancesCommand({
      ImageId: 'ami-00000000000000001',
      InstanceType: 'm6g.large',
      MinCount: 1,
      MaxCount: 1,
      SubnetId: subnetId,
      ...options,
    }),
  );
  const instanceId = present(Instances?.[0]?.InstanceId);
  const eniId = present(Instances?.[0]?.NetworkInterfaces?.[0]?.NetworkInterfaceId);
  await reaches(client, instanceId, 'running');
  return { instanceId, eniId };
}

/** Waits until the instance is in the state; bounded generously, never timed. */
export async function reaches(client: EC2Client, instanceId: string, state: InstanceStateName): Promise<void> {
  for (let attempt = 0; attempt < 2000; attempt += 1) {
    const { Reservations } = await client.send(new DescribeInstancesCommand({ InstanceIds: [instanceId] }));
    if (Reservations?.[0]?.Instances?.[0]?.State?.Name === state) return;
    await sleep(5);
  }
  assert.fail(`${instanceId} did not reach ${state}`);
}

export async function describeTable(client: EC2Client, table: string): Promise<RouteTable> {
  const { RouteTables } = await client.send(new DescribeRouteTablesCommand({ RouteTableIds: [table] }));
  return present(RouteTables?.[0]);
}

export async function routesOf(client: EC2Client, table: string): Promise<readonly Route[]> {
  return present((await describeTable(client, table)).Routes);
}

/** The static rows: what was there before any CreateRoute is left out. */
export async function addedRoutes(client: EC2Client, table: string): Promise<readonly Route[]> {
  return (await routesOf(client, table)).filter(({ Origin }) => Origin !== 'CreateRouteTable');
}

export const addRoute = (network: Network, destination: string, eniId: string) =>
  network.client.send(
    new CreateRouteCommand({
      RouteTableId: network.table,
      DestinationCidrBlock: destination,
      NetworkInterfaceId: eniId,
    }),
  );

/** What EC2 says about a call it refuses: `400 RouteAlreadyExists: The route ...`. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
    return `${$metadata?.httpStatusCode} ${name}: ${message}`;
  }
  return 'accepted';
}
