/**
 * How EC2 spells answer members on the wire.
 *
 * Most are the API name with a small first letter. The exceptions below are those of the shapes this sandbox answers
 * with, read off the AWS SDK's EC2 model (`xmlName`).
 */
const everywhere: Readonly<Record<string, string>> = {
  Associations: 'associationSet',
  Attachments: 'attachmentSet',
  BlockDeviceMappings: 'blockDeviceMapping',
  Groups: 'groupSet',
  Instances: 'instancesSet',
  Ipv6Addresses: 'ipv6AddressesSet',
  NatGatewayAddresses: 'natGatewayAddressSet',
  NatGateways: 'natGatewaySet',
  NetworkInterfaceIds: 'networkInterfaceIdSet',
  NetworkInterfaces: 'networkInterfaceSet',
  PrefixLists: 'prefixListSet',
  PrivateIpAddresses: 'privateIpAddressesSet',
  PropagatingVgws: 'propagatingVgwSet',
  PublicIpAddress: 'ipAddress',
  Reservations: 'reservationSet',
  RouteTableIds: 'routeTableIdSet',
  RouteTables: 'routeTableSet',
  Routes: 'routeSet',
  SecurityGroups: 'groupSet',
  StartingInstances: 'instancesSet',
  StateTransitionReason: 'reason',
  StoppingInstances: 'instancesSet',
  SubnetIds: 'subnetIdSet',
  Subnets: 'subnetSet',
  Tags: 'tagSet',
  TerminatingInstances: 'instancesSet',
  Vpcs: 'vpcSet',
};

/** Members of the instance itself, which other shapes spell in the ordinary way. */
const ofInstance: Readonly<Record<string, string>> = { State: 'instanceState', PublicDnsName: 'dnsName' };

/**
 * @param inside API name of the member that holds this one (`Instances` for an instance in its list)
 * @param name API name of the member
 */
export function wireName(inside: string, name: string): string {
  const special = inside === 'Instances' ? ofInstance[name] : undefined;
  return special ?? everywhere[name] ?? name.charAt(0).toLowerCase() + name.slice(1);
}
