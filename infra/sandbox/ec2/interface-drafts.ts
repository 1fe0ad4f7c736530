/** New interfaces: drafted with all their addresses first and put into the world afterwards, so that a call fails whole. */
import { AwsError } from '../service.ts';
import { invalidCombination } from './errors.ts';
import { beforeWrite } from './history.ts';
import { integer, list, type Params, structures, text } from './params.ts';
import type { NetworkInterface, Subnet } from './records.ts';
import { takeAddress } from './subnet-addresses.ts';
import type { World } from './world.ts';

/** A locally administered MAC made of the interface's id, or the next one that no interface has. */
export function newMac(world: World, id: string, drafts: readonly NetworkInterface[] = []): string {
  const taken = new Set([...world.interfaces.values(), ...drafts].map(({ mac }) => mac.toLowerCase()));
  const digits = id.slice('eni-'.length).replace(/[^0-9a-f]/g, '');
  for (let number = BigInt(`0x0${digits.slice(-10)}`); ; number += 1n) {
    const mac = macOf(number);
    if (!taken.has(mac)) return mac;
  }
}

function macOf(number: bigint): string {
  const digits = number.toString(16).padStart(10, '0').slice(-10);
  return `02:${digits.match(/../g)?.join(':') ?? ''}`;
}

/**
 * Reads the address parameters that CreateNetworkInterface and RunInstances (per interface) share.
 * @param drafts interfaces drafted earlier in the same call, whose addresses are taken
 */
export function draftInterface(
  world: World,
  subnet: Subnet,
  params: Params,
  drafts: readonly NetworkInterface[],
): NetworkInterface {
  const near = drafts.filter(({ subnetId }) => subnetId === subnet.id);
  const privateIps: string[] = [];
  for (const wanted of wantedAddresses(params)) {
    const used = [...near.flatMap((draft) => draft.privateIps), ...privateIps];
    privateIps.push(takeAddress(world, subnet, 'ipv4', wanted, used));
  }
  const ipv6: string[] = [];
  for (const wanted of wantedIpv6(params)) {
    ipv6.push(takeAddress(world, subnet, 'ipv6', wanted, [...near.flatMap((draft) => draft.ipv6), ...ipv6]));
  }
  const id = world.ids.next('eni');
  return {
    id,
    vpcId: subnet.vpcId,
    subnetId: subnet.id,
    zone: subnet.zone,
    mac: newMac(world, id, drafts),
    description: text(params, 'Description') ?? '',
    privateIps,
    ipv6,
    groups: groupsOf(params, subnet.vpcId),
    sourceDestCheck: true,
  };
}

const groupsOf = (params: Params, vpcId: string) => {
  const named = list(params, 'SecurityGroupId');
  return named.length > 0 ? named : [`sg-${vpcId.slice('vpc-'.length)}`];
};

/** The primary one first; `undefined` means any free address. */
function wantedAddresses(params: Params): readonly (string | undefined)[] {
  const single = text(params, 'PrivateIpAddress');
  const several = structures(params, 'PrivateIpAddresses');
  const primary = several.find((address) => text(address, 'Primary') === 'true');
  if (single !== undefined && primary !== undefined) {
    throw invalidCombination('Only one primary private IP address can be specified.');
  }
  const rest = several.filter((address) => address !== primary).map((address) => text(address, 'PrivateIpAddress'));
  const counted = Array.from({ length: integer(params, 'SecondaryPrivateIpAddressCount') ?? 0 }, () => undefined);
  return [single ?? (primary && text(primary, 'PrivateIpAddress')), ...rest, ...counted];
}

function wantedIpv6(params: Params): readonly (string | undefined)[] {
  // CreateNetworkInterface spells the list `Ipv6Addresses`, RunInstances `Ipv6Address`.
  const named = [...structures(params, 'Ipv6Addresses'), ...structures(params, 'Ipv6Address')];
  const count = integer(params, 'Ipv6AddressCount') ?? 0;
  if (named.length > 0 && count > 0) {
    throw invalidCombination('The parameter ipv6AddressCount cannot be used with the parameter ipv6Addresses');
  }
  return named.length > 0
    ? named.map((one) => text(one, 'Ipv6Address'))
    : Array.from({ length: count }, () => undefined);
}

export function addInterface(world: World, draft: NetworkInterface): void {
  beforeWrite(world, draft.id);
  world.interfaces.set(draft.id, draft);
}

export function removeInterface(world: World, held: NetworkInterface): void {
  beforeWrite(world, held.id);
  world.interfaces.delete(held.id);
  world.goneInterfaces.add(held.id);
  world.tags.delete(held.id);
}

export const inUse = (held: NetworkInterface) =>
  new AwsError('InvalidNetworkInterface.InUse', `Interface: [${held.id}] in use.`);
