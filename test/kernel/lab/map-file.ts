/** The map that a cluster's agents watch, as a file that is replaced whole. */
import { renameSync, writeFileSync } from 'node:fs';

export interface MapLease {
  subnet: string;
  ipv6Subnet?: string | null;
  instanceId: string | null;
  eniId?: string | null;
  nodeIp: string | null;
  nodeIpv6?: string | null;
  subnetId?: string | null;
  segment?: string | null;
  vtepMac?: string | null;
  state?: string;
  routedIn?: string[];
  ipv6RoutedIn?: string[];
}

export interface MapFile {
  schema: number;
  epoch: number;
  revision: number;
  network: string;
  config: Record<string, unknown>;
  tables: { id: string; subnets: string[]; filling: boolean }[];
  leases: MapLease[];
}

/** Written beside it and renamed over it, as a careful writer does: nobody reads half a map. */
export function writeMap(path: string, map: unknown): void {
  writeFileSync(`${path}.new`, typeof map === 'string' ? map : JSON.stringify(map, null, 1));
  renameSync(`${path}.new`, path);
}
