/** The network configuration: flannel's `net-conf.json` as values. `parse-network-config.ts` reads it. */
import type { Cidr, Family } from './cidr.ts';

/** One family's part of the network. */
export interface FamilyConfig {
  readonly family: Family;
  readonly network: Cidr;
  readonly subnetLen: number;
  /** First and last subnet that are granted, both on a boundary of `subnetLen`. */
  readonly subnetMin: Cidr;
  readonly subnetMax: Cidr;
}

export interface VxlanConfig {
  readonly type: 'vxlan';
  readonly vni: number;
  readonly port: number;
  /** Cap of the link's MTU in bytes; null: that of the lower link. */
  readonly mtu: number | null;
  readonly directRouting: boolean;
  /** Prefix length that says which node addresses share a segment; null: the VPC subnet alone decides. */
  readonly localNetworkMask: number | null;
  readonly learning: boolean;
  readonly gbp: boolean;
}

export interface HostGwConfig {
  readonly type: 'host-gw';
  readonly mtu: number | null;
  readonly localNetworkMask: number | null;
}

export type NodeBackend = VxlanConfig | HostGwConfig;

export interface AwsVpcConfig {
  readonly type: 'aws-vpc';
  readonly routeTableIds: readonly string[];
  readonly mtu: number | null;
  readonly fallback: NodeBackend | null;
}

export type BackendConfig = AwsVpcConfig | NodeBackend;

/** A range, tables, or both that were given up: planned with nothing desired until empty. */
export interface Retired {
  /** Null: the network's own ranges. */
  readonly network: Cidr | null;
  readonly subnetLen: number | null;
  /** Empty: every listed table. */
  readonly routeTableIds: readonly string[];
}

export interface NetworkConfig {
  /** IPv4 first where both are enabled; never empty. */
  readonly families: readonly FamilyConfig[];
  readonly backend: BackendConfig;
  readonly mode: 'enforce' | 'observe';
  readonly whenStopped: 'withdraw' | 'keep';
  readonly leaseSeconds: number;
  readonly routeLimit: number;
  /** Ranges in which nothing is granted and every row is foreign. */
  readonly protected: readonly Cidr[];
  readonly retired: readonly Retired[];
}
