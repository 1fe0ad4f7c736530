import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCidr } from '../../../shared/domain/cidr.ts';
import { isOurs, type ManagedRange } from '../../../shared/domain/ownership.ts';
import { parseRoute } from '../../../shared/domain/route.ts';

const ranges: ManagedRange[] = [
  {
    network: parseCidr('10.244.0.0/16', 'network'),
    subnetLen: 24,
    protected: [parseCidr('10.244.250.0/23', 'protected')],
  },
  { network: parseCidr('fd00:244::/48', 'network'), subnetLen: 64, protected: [] },
];

const ours = {
  DestinationCidrBlock: '10.244.1.0/24',
  NetworkInterfaceId: 'eni-1',
  Origin: 'CreateRoute',
  State: 'active',
};

function judged(change: object): boolean {
  return isOurs(parseRoute({ ...ours, ...change }, 'route'), ranges);
}

test('a row is ours by origin, range, length and next hop', () => {
  const mine: [string, object][] = [
    ['an ENI', {}],
    ['an instance with its ENI', { InstanceId: 'i-1', InstanceOwnerId: '123456789012' }],
    ['an instance alone', { NetworkInterfaceId: undefined, InstanceId: 'i-1' }],
    ['a blackhole with the dead ENI', { State: 'blackhole' }],
    ['a blackhole without ids', { NetworkInterfaceId: undefined, State: 'blackhole' }],
    ['IPv6 in another spelling', { DestinationCidrBlock: undefined, DestinationIpv6CidrBlock: 'FD00:244:0:1::/64' }],
  ];
  for (const [name, change] of mine) assert.equal(judged(change), true, name);
});

test('P4: everything else is foreign', () => {
  const foreign: [string, object][] = [
    ['another origin', { Origin: 'CreateRouteTable' }],
    ['a propagated row', { Origin: 'EnableVgwRoutePropagation' }],
    ["a route server's row", { Origin: 'Advertisement', IpAddress: '10.0.0.9' }],
    ['an unknown origin', { Origin: undefined }],
    ['outside the range', { DestinationCidrBlock: '10.245.1.0/24' }],
    ['wider than the range, same base', { DestinationCidrBlock: '10.0.0.0/8' }],
    ['equal to the range', { DestinationCidrBlock: '10.244.0.0/16' }],
    ['longer than a subnet', { DestinationCidrBlock: '10.244.1.0/25' }],
    ['shorter than a subnet', { DestinationCidrBlock: '10.244.2.0/23' }],
    ['protected', { DestinationCidrBlock: '10.244.251.0/24' }],
    ['a NAT gateway', { NetworkInterfaceId: undefined, NatGatewayId: 'nat-1' }],
    ['a gateway', { NetworkInterfaceId: undefined, GatewayId: 'igw-1' }],
    ['a gateway that is a blackhole', { NetworkInterfaceId: undefined, GatewayId: 'vgw-1', State: 'blackhole' }],
    ['a peering', { NetworkInterfaceId: undefined, VpcPeeringConnectionId: 'pcx-1' }],
    ['a transit gateway', { NetworkInterfaceId: undefined, TransitGatewayId: 'tgw-1' }],
    ['an egress-only gateway', { NetworkInterfaceId: undefined, EgressOnlyInternetGatewayId: 'eigw-1' }],
    ['a carrier gateway', { NetworkInterfaceId: undefined, CarrierGatewayId: 'cagw-1' }],
    ['a local gateway', { NetworkInterfaceId: undefined, LocalGatewayId: 'lgw-1' }],
    ['an endpoint of a load balancer', { NetworkInterfaceId: undefined, GatewayId: 'vpce-1' }],
    ['an Oracle network', { NetworkInterfaceId: undefined, OdbNetworkArn: 'arn:aws:odb::1:odb-network/o' }],
    ['a core network', { NetworkInterfaceId: undefined, CoreNetworkArn: 'arn:aws:networkmanager::1:core-network/c' }],
    ['an ENI beside a field that is not invented yet', { QuantumLinkId: 'ql-1' }],
    ['no next hop and active', { NetworkInterfaceId: undefined }],
    ['filtered', { State: 'filtered' }],
    ['a prefix list', { DestinationCidrBlock: undefined, DestinationPrefixListId: 'pl-1' }],
  ];
  for (const [name, change] of foreign) assert.equal(judged(change), false, name);
});
