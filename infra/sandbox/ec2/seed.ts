/**
 * Fills the world from JSON as the AWS CLI prints it. What is referred to and not given (VPCs, subnets, interfaces) is
 * made, so that a world file with nothing but tables and instances is enough.
 */
import { type Json, listOf } from './cli-json.ts';
import { seedInstance, seedInterface } from './seed-instances.ts';
import { seedSubnet, seedVpc } from './seed-networks.ts';
import { seedRouteTable } from './seed-route-tables.ts';
import type { World } from './world.ts';

/** A list, or the CLI's whole output with the list inside. */
type Listed = readonly Json[] | Json;

export interface Seed {
  readonly vpcs?: Listed;
  readonly subnets?: Listed;
  /** As `aws ec2 describe-route-tables` prints them. Routes go in verbatim. */
  readonly routeTables?: Listed;
  /** Reservations as `aws ec2 describe-instances` prints them, or the instances themselves. */
  readonly instances?: Listed;
  readonly networkInterfaces?: Listed;
}

const isList = (listed: Listed): listed is readonly Json[] => Array.isArray(listed);

function items(listed: Listed | undefined, member: string): readonly Json[] {
  if (listed === undefined) return [];
  if (isList(listed)) return listed;
  if (!Array.isArray(listed[member])) throw new Error(`a seed has no list ${member}`);
  return listOf(listed, member);
}

export function seedWorld(world: World, seed: Seed): void {
  for (const vpc of items(seed.vpcs, 'Vpcs')) seedVpc(world, vpc);
  for (const subnet of items(seed.subnets, 'Subnets')) seedSubnet(world, subnet);
  // Tables name their VPC's CIDRs, instances tell what the subnets of associations look like: hence this order.
  const tables = items(seed.routeTables, 'RouteTables').map((table) => seedRouteTable(world, table));
  for (const held of items(seed.networkInterfaces, 'NetworkInterfaces')) seedInterface(world, held);
  for (const entry of items(seed.instances, 'Reservations')) {
    const instances = Array.isArray(entry['Instances']) ? listOf(entry, 'Instances') : [entry];
    for (const instance of instances) seedInstance(world, instance, entry);
  }
  for (const associate of tables) associate();
}
