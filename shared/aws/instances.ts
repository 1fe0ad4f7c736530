/** Instances and network interfaces of EC2. */
import {
  DescribeInstancesCommand,
  DescribeNetworkInterfacesCommand,
  type EC2Client,
  type Instance,
  type InstanceNetworkInterface,
  type InstanceNetworkInterfaceAttachment,
  ModifyNetworkInterfaceAttributeCommand,
  type NetworkInterface,
  type NetworkInterfaceAttachment,
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

/**
 * An attachment that is on its way out counts for nothing: its instance is about to lose the interface. Devices are counted
 * by network card, so that an instance with several cards has several devices 0 (amazon-ec2-net-utils issue 104).
 */
function attachment(
  attached: InstanceNetworkInterfaceAttachment | NetworkInterfaceAttachment | undefined,
  instanceId: string | null,
): Pick<InterfaceFacts, 'instanceId' | 'isPrimary'> {
  const holds = attached?.Status === 'attached' || attached?.Status === 'attaching';
  if (!holds || instanceId === null) return { instanceId: null, isPrimary: false };
  return { instanceId, isPrimary: attached.DeviceIndex === 0 && (attached.NetworkCardIndex ?? 0) === 0 };
}

function addressFacts(
  action: string,
  eni: InstanceNetworkInterface | NetworkInterface,
): Omit<InterfaceFacts, 'instanceId' | 'isPrimary'> {
  const eniId = needed(eni.NetworkInterfaceId, action, 'an interface', 'its id');
  // Forwarding depends on it: an interface whose check was left out is not known to forward.
  const sourceDestCheck = needed(eni.SourceDestCheck, action, eniId, 'its source/destination check');
  return {
    eniId,
    subnetId: needed(eni.SubnetId, action, eniId, 'its subnet'),
    vpcId: needed(eni.VpcId, action, eniId, 'its VPC'),
    privateIp: canonical(eni.PrivateIpAddress),
    ipv6: nodeIpv6(eni.Ipv6Addresses ?? []),
    sourceDestCheck,
  };
}

/** EC2 promises no order, and a node whose address changed from one reading to the next would be a change for every peer. */
function nodeIpv6(addresses: readonly { Ipv6Address?: string | undefined; IsPrimaryIpv6?: boolean | undefined }[]) {
  const parsed = addresses.flatMap(({ Ipv6Address, IsPrimaryIpv6 }) => {
    const address = tryParseAddress(Ipv6Address);
    return address === null ? [] : [{ ...address, rank: IsPrimaryIpv6 === true ? 0 : 1 }];
  });
  const [first] = parsed.sort((a, b) => a.rank - b.rank || (a.value < b.value ? -1 : 1));
  return first?.text ?? null;
}

function canonical(address: string | undefined): string | null {
  return tryParseAddress(address)?.text ?? null;
}

function needed<Value>(value: Value | undefined, action: string, whose: string, what: string): Value {
  if (value === undefined || value === '') throw unreadable(action, `${whose} came without ${what}`);
  return value;
}
