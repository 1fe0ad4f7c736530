/** Worlds of any size: leases, and tables that hold the routes of some of them. */

import type { Lease } from '../shared/domain/lease.ts';
import { parseNetworkConfig } from '../shared/domain/parse-network-config.ts';
import { parseRouteTable, type RouteTable } from '../shared/domain/route.ts';
import { parseLease } from '../shared/domain/world-lease.ts';

export const tableIds = ['rtb-1', 'rtb-2', 'rtb-3'];

export const config = parseNetworkConfig({
  Network: '10.0.0.0/8',
  SubnetLen: 24,
  Backend: { Type: 'aws-vpc', RouteTableID: tableIds },
  Leaseway: { RouteLimit: 1000 },
});

const subnetOf = (n: number) => `10.${100 + Math.floor(n / 250)}.${n % 250}.0/24`;

export function leases(count: number): Lease[] {
  return Array.from({ length: count }, (_, n) =>
    parseLease(
      {
        subnet: subnetOf(n),
        instanceId: `i-${n.toString(16)}`,
        eniId: `eni-${n.toString(16)}`,
        nodeIp: '172.16.0.1',
        acquiredAt: n,
      },
      'lease',
    ),
  );
}

/** Tables that route the first `routed` leases. */
export function tables(routed: number): RouteTable[] {
  return tableIds.map((id) =>
    parseRouteTable(
      {
        RouteTableId: id,
        VpcId: 'vpc-1',
        Routes: Array.from({ length: routed }, (_, n) => ({
          DestinationCidrBlock: subnetOf(n),
          NetworkInterfaceId: `eni-${n.toString(16)}`,
          Origin: 'CreateRoute',
          State: 'active',
        })),
      },
      'table',
    ),
  );
}
