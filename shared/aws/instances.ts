/** Instances and network interfaces of EC2. */
import {
  DescribeInstancesCommand,
  DescribeNetworkInterfacesCommand,
  type EC2Client,
  type Instance,
  type InstanceNetworkInterface,
  ModifyNetworkInterfaceAttributeCommand,
  type NetworkInterface,
} from '@aws-sdk/client-ec2';
import { tryParseAddress } from '../domain/cidr.ts';
import { type InstanceState, instanceStates } from '../domain/instance-life.ts';
import type { InstanceFacts, Instances, InterfaceFacts } from '../keeper/ports.ts';
import { type Caller, call } from './call.ts';
import { allPages, filterChunks, unreadable } from './pages.ts';

/** The most that EC2 takes. */
const pageSize = 1_000;

export interface InstancesOptions extends Caller {
  readonly client: EC2Client;
}

export function ec2Instances(options: InstancesOptions): Instances {
  const { client } = options;

  const instances = (Values: string[]) =>
    allPages('DescribeInstances', async (token) => {
      const command = new DescribeInstancesCommand({
        Filters: [{ Name: 'instance-id', Values }],
        MaxResults: pageSize,
        NextToken: token,
      });
      const { Reservations, NextToken } = await call('DescribeInstances', options, (http) =>
        client.send(command, http),
      );
      return { items: Reservations?.flatMap((reservation) => reservation.Instances ?? []), next: NextToken };
    });

  const interfaces = (Values: string[]) =>
    allPages('DescribeNetworkInterfaces', async (token) => {
      const command = new DescribeNetworkInterfacesCommand({
        Filters: [{ Name: 'network-interface-id', Values }],
        MaxResults: pageSize,
        NextToken: token,
      });
      const { NetworkInterfaces, NextToken } = await call('DescribeNetworkInterfaces', options, (http) =>
        client.send(command, http),
      );
      return { items: NetworkInterfaces, next: NextToken };
    });

  return {
    describe: async (instanceIds) => {
      const facts: InstanceFacts[] = [];
      for (const chunk of filterChunks(instanceIds)) facts.push(...(await instances(chunk)).map(instanceFacts));
      return facts;
    },
    describeInterfaces: async (eniIds) => {
      const facts: InterfaceFacts[] = [];
      for (const chunk of filterChunks(eniIds)) facts.push(...(await interfaces(chunk)).map(interfaceFacts));
      return facts;
    },
    // The instance's own attribute cannot be changed when it has several interfaces (`InvalidInstanceID`).
    switchOffSourceDestCheck: async (eniId) => {
      const command = new ModifyNetworkInterfaceAttributeCommand({
        NetworkInterfaceId: eniId,
        SourceDestCheck: { Value: false },
      });
      await call('ModifyNetworkInterfaceAttribute', options, (http) => client.send(command, http));
    },
  };
}

function instanceFacts(instance: Instance): InstanceFacts {
  const what = 'DescribeInstances';
  const instanceId = needed(instance.InstanceId, what, 'an instance', 'its id');
  const name = instance.State?.Name;
  const state = instanceStates.find((known): known is InstanceState => known === name);
  if (state === undefined) throw unreadable(what, `${instanceId} is in the unknown state ${String(name)}`);
  return {
    instanceId,
    state,
    vpcId: instance.VpcId || null,
    interfaces: (instance.NetworkInterfaces ?? []).map((eni) => ({
      ...addressFacts(what, eni),
      ...attachment(eni.Attachment, instanceId),
    })),
  };
}

function interfaceFacts(eni: NetworkInterface): InterfaceFacts {
  return {
    ...addressFacts('DescribeNetworkInterfaces', eni),
    ...attachment(eni.Attachment, eni.Attachment?.InstanceId || null),
  };
}

/** An attachment that is on its way out counts for nothing: its instance is about to lose the interface. */
function attachment(
  attached: { readonly Status?: string | undefined; readonly DeviceIndex?: number | undefined } | undefined,
  instanceId: string | null,
): Pick<InterfaceFacts, 'instanceId' | 'deviceIndex'> {
  const holds = attached?.Status === 'attached' || attached?.Status === 'attaching';
  if (!holds || instanceId === null) return { instanceId: null, deviceIndex: null };
  return { instanceId, deviceIndex: attached.DeviceIndex ?? null };
}

function addressFacts(
  action: string,
  eni: InstanceNetworkInterface | NetworkInterface,
): Omit<InterfaceFacts, 'instanceId' | 'deviceIndex'> {
  const eniId = needed(eni.NetworkInterfaceId, action, 'an interface', 'its id');
  // Forwarding depends on it: an interface whose check was left out is not known to forward.
  const sourceDestCheck = needed(eni.SourceDestCheck, action, eniId, 'its source/destination check');
  return {
    eniId,
    subnetId: needed(eni.SubnetId, action, eniId, 'its subnet'),
    vpcId: needed(eni.VpcId, action, eniId, 'its VPC'),
    privateIp: canonical(eni.PrivateIpAddress),
    ipv6: canonical(eni.Ipv6Addresses?.[0]?.Ipv6Address),
    sourceDestCheck,
  };
}

function canonical(address: string | undefined): string | null {
  return tryParseAddress(address)?.text ?? null;
}

function needed<Value>(value: Value | undefined, action: string, whose: string, what: string): Value {
  if (value === undefined || value === '') throw unreadable(action, `${whose} came without ${what}`);
  return value;
}
