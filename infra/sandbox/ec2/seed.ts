/**
 * Fills the world from JSON as the AWS CLI prints it. What is referred to and not given (VPCs, subnets, interfaces) is
 * made, so that a world file with nothing but tables and instances is enough.
 */
import { type Json, listOf } from './cli-json.ts';
import { seedInstance, seedInterface } from './seed-instances.ts';
import { seedSubnet, seedVpc } from './seed-networks.ts';
import { seedRouteTable } from './seed-route-tables.ts';
import type { World } from './world.ts';

export interface Seed {
  readonly vpcs?: readonly Json[];
  readonly subnets?: readonly Json[];
  /** As `RouteTables` of `aws ec2 describe-route-tables`. Routes go in verbatim. */
  readonly routeTables?: readonly Json[];
  /** As `Reservations` of `aws ec2 describe-instances`, or the instances themselves. */
  readonly instances?: readonly Json[];
  readonly networkInterfaces?: readonly Json[];
}

export function seedWorld(world: World, seed: Seed): void {
  for (const vpc of seed.vpcs ?? []) seedVpc(world, vpc);
  for (const subnet of seed.subnets ?? []) seedSubnet(world, subnet);
  // Tables name their VPC's CIDRs, instances tell what the subnets of associations look like: hence this order.
  const tables = (seed.routeTables ?? []).map((table) => seedRouteTable(world, table));
  for (const held of seed.networkInterfaces ?? []) seedInterface(world, held);
  for (const entry of seed.instances ?? []) {
    const instances = Array.isArray(entry['Instances']) ? listOf(entry, 'Instances') : [entry];
    for (const instance of instances) seedInstance(world, instance, entry);
  }
  for (const associate of tables) associate();
}
