/** All resources in the form the AWS CLI prints, each list as it stands inside the CLI's outer object. */

import { interfaceView } from './instance-views.ts';
import { allReservations } from './instances.ts';
import type { View } from './lag.ts';
import { routeTableView, subnetView, vpcView } from './network-views.ts';
import type { World } from './world.ts';

export interface Snapshot {
  readonly vpcs: readonly View[];
  readonly subnets: readonly View[];
  readonly routeTables: readonly View[];
  /** Reservations. */
  readonly instances: readonly View[];
  readonly networkInterfaces: readonly View[];
}

export function snapshotOf(world: World): Snapshot {
  const snapshot: Snapshot = {
    vpcs: [...world.vpcs.values()].map((held) => vpcView(world, held)),
    subnets: [...world.subnets.values()].map((held) => subnetView(world, held)),
    routeTables: [...world.routeTables.values()].map((held) => routeTableView(world, held)),
    instances: allReservations(world),
    networkInterfaces: [...world.interfaces.values()].map((held) => interfaceView(world, held)),
  };
  // A copy, and without the members that JSON does not carry: what a caller keeps must not follow the world.
  return JSON.parse(JSON.stringify(snapshot)) as Snapshot;
}
