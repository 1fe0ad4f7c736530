/** The plan of a world file. */
import { checkVpcOverlap } from './config-checks.ts';
import { InvalidInput } from './invalid-input.ts';
import { type NetworkPlan, planNetwork } from './network-plan.ts';
import { type RouteTable, vpcRanges } from './route.ts';
import type { World } from './world.ts';

/** @throws InvalidInput when the network overlaps the VPC's own ranges, or the tables are in several VPCs. */
export function planWorld(world: World): NetworkPlan {
  checkOneVpc(world.tables);
  checkVpcOverlap(world.config, vpcRanges(world.tables), 'config');
  return planNetwork({
    config: world.config,
    leases: world.leases.map(({ lease }) => lease),
    tables: world.tables,
    terminated: world.terminated,
    force: world.force,
  });
}

/** One stack serves one VPC: a next hop in another one is refused by EC2, route by route. */
function checkOneVpc(tables: readonly RouteTable[]): void {
  const [first, ...others] = tables.filter(({ vpcId }) => vpcId !== '');
  const stranger = others.find(({ vpcId }) => vpcId !== first?.vpcId);
  if (first === undefined || stranger === undefined) return;
  throw new InvalidInput(
    'config.Backend.RouteTableID',
    stranger.id,
    `is in ${stranger.vpcId}, but ${first.id} is in ${first.vpcId}: all listed tables must be in one VPC`,
  );
}
