/** DescribeInstances: pages of instances, shown in their reservations. */
import { sandboxAccount } from '../service.ts';
import { describePage } from './describe.ts';
import { idKinds } from './ids.ts';
import { instanceView, instanceViews } from './instance-views.ts';
import type { View } from './lag.ts';
import type { Params } from './params.ts';
import type { InstanceState } from './records.ts';
import type { World } from './world.ts';

const interfaces = (member: string) => (view: View) =>
  (view['NetworkInterfaces'] as readonly View[]).map((held) => held[member]);
const state = (view: View) => view['State'] as { readonly Code: number; readonly Name: InstanceState };

export function describeInstances(world: World, params: Params) {
  const items = instanceViews(world);
  const { views, nextToken } = describePage(world, params, items, {
    action: 'DescribeInstances',
    answer: 'Reservations',
    ids: { parameter: 'InstanceId', kind: idKinds.instance },
    idsExcludePages: 'instancesSet',
    filters: {
      'availability-zone': (view) => (view['Placement'] as View)['AvailabilityZone'],
      'client-token': (view) => view['ClientToken'],
      'image-id': (view) => view['ImageId'],
      'instance-id': (view) => view['InstanceId'],
      'instance-state-code': (view) => state(view).Code,
      'instance-state-name': (view) => state(view).Name,
      'instance-type': (view) => view['InstanceType'],
      'ipv6-address': (view) => view['Ipv6Address'],
      'network-interface.network-interface-id': interfaces('NetworkInterfaceId'),
      'network-interface.subnet-id': interfaces('SubnetId'),
      'network-interface.vpc-id': interfaces('VpcId'),
      'owner-id': () => sandboxAccount,
      'private-ip-address': (view) => view['PrivateIpAddress'],
      'reservation-id': (view) => reservationOf(world, view),
      'source-dest-check': (view) => view['SourceDestCheck'],
      'subnet-id': (view) => view['SubnetId'],
      'vpc-id': (view) => view['VpcId'],
    },
  });
  return { Reservations: reservations(world, views), NextToken: nextToken };
}

/** A late read can show an instance that has been forgotten; it gets a reservation of its own. */
const reservationOf = (world: World, view: View) =>
  world.instances.get(String(view['InstanceId']))?.reservationId ??
  `r-${String(view['InstanceId']).slice('i-'.length)}`;

function reservations(world: World, views: readonly View[]): readonly View[] {
  const groups = Map.groupBy(views, (view) => reservationOf(world, view));
  return [...groups].map(([id, Instances]) => reservation(id, Instances));
}

const reservation = (ReservationId: string, Instances: readonly View[]): View => ({
  Groups: [],
  Instances,
  OwnerId: sandboxAccount,
  ReservationId,
});

export function reservationView(world: World, reservationId: string): View {
  const held = [...world.instances.values()].filter((instance) => instance.reservationId === reservationId);
  return reservation(
    reservationId,
    held.map((instance) => instanceView(world, instance)),
  );
}

export const allReservations = (world: World) =>
  reservations(
    world,
    instanceViews(world).map(({ view }) => view),
  );
