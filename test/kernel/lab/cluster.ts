/** Nodes in a VPC with one map, all gone at the end of the test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SubnetSpec, Vpc } from '../vpc/vpc.ts';
import { atEnd, type Ending } from './at-end.ts';
import { type MapFile, writeMap } from './map-file.ts';
import { Node, type NodeSpec } from './node.ts';

export const hybridBackend = {
  Type: 'aws-vpc',
  RouteTableID: ['rtb-1', 'rtb-2'],
  Fallback: { Type: 'vxlan', VNI: 1, Port: 8472, DirectRouting: true },
};
export const directBackend = { Type: 'vxlan', VNI: 1, Port: 8472, DirectRouting: true };
export const tunnelBackend = { Type: 'vxlan', VNI: 1, Port: 8472 };

export const ipv4Network = { Network: '10.244.0.0/16', SubnetLen: 24 };
export const dualStackNetwork = { ...ipv4Network, EnableIPv6: true, IPv6Network: 'fd00:244::/48', IPv6SubnetLen: 64 };

/** a and b in subnet-1, c and d in subnet-2; further names go on from there. */
export function nodeSpec(name: string, options: Partial<NodeSpec> = {}): NodeSpec {
  const number = name.charCodeAt(0) - 96;
  const subnet = number === 3 || number === 4 ? 2 : 1;
  return {
    name,
    subnetId: `subnet-${subnet}`,
    address: `10.0.${subnet}.${9 + number}/24`,
    ipv6: `2600:1f14:0:${subnet}::${9 + number}/64`,
    gateway: `10.0.${subnet}.1`,
    lease: `10.244.${number}.0/24`,
    ipv6Lease: `fd00:244:0:${number}::/64`,
    vtepMac: `02:00:00:00:00:0${number}`,
    ...options,
  };
}

export interface ClusterSpec {
  readonly backend: Record<string, unknown>;
  readonly network?: Record<string, unknown> | undefined;
  readonly cidrs?: readonly string[] | undefined;
  readonly subnets?: readonly SubnetSpec[] | undefined;
}

export class Cluster {
  readonly vpc: Vpc;
  readonly map: MapFile;
  readonly #folder: string;
  readonly #nodes = new Map<string, Node>();

  private constructor(vpc: Vpc, folder: string, spec: ClusterSpec) {
    this.vpc = vpc;
    this.#folder = folder;
    this.map = {
      schema: 1,
      epoch: 1,
      revision: 0,
      network: 'default',
      config: { ...(spec.network ?? ipv4Network), Backend: spec.backend },
      tables: [
        { id: 'rtb-1', subnets: ['subnet-1'], filling: false },
        { id: 'rtb-2', subnets: ['subnet-2'], filling: false },
      ],
      leases: [],
    };
  }

  static async open(t: Ending, spec: ClusterSpec, nodes: readonly NodeSpec[]): Promise<Cluster> {
    const folder = mkdtempSync(join(tmpdir(), 'leaseway-lab-'));
    atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
    const vpc = await Vpc.create({
      cidrs: spec.cidrs ?? ['10.0.0.0/16', '2600:1f14::/56'],
      subnets: spec.subnets ?? [
        { id: 'subnet-1', cidr: '10.0.1.0/24', ipv6Cidr: '2600:1f14:0:1::/64' },
        { id: 'subnet-2', cidr: '10.0.2.0/24', ipv6Cidr: '2600:1f14:0:2::/64' },
      ],
    });
    atEnd(t, () => vpc.close());
    const cluster = new Cluster(vpc, folder, spec);
    atEnd(t, async () => {
      for (const node of cluster.#nodes.values()) await node.close();
    });
    await cluster.#addAll(nodes);
    cluster.publish();
    return cluster;
  }

  get mapPath(): string {
    return join(this.#folder, 'map.json');
  }

  get nodes(): readonly Node[] {
    return [...this.#nodes.values()];
  }

  node(name: string): Node {
    const found = this.#nodes.get(name);
    if (found === undefined) throw new Error(`no node ${name}`);
    return found;
  }

  /** All at once, which is what makes fifty machines bearable; known in the order that was asked for. */
  async #addAll(specs: readonly NodeSpec[]): Promise<void> {
    const made = await Promise.allSettled(specs.map((spec) => Node.create(this.vpc, spec, this.#folder, this.mapPath)));
    for (const result of made) if (result.status === 'fulfilled') this.#know(result.value);
    for (const result of made) if (result.status === 'rejected') throw result.reason;
    await this.checksOff();
  }

  #know(node: Node): void {
    this.#nodes.set(node.spec.name, node);
    this.map.leases.push(node.mapLease);
  }

  /** A further machine: its check is off, and its lease is in the map that is published next. */
  async add(spec: NodeSpec): Promise<Node> {
    const node = await Node.create(this.vpc, spec, this.#folder, this.mapPath);
    this.#know(node);
    await this.checksOff();
    return node;
  }

  /** The machine and its ENI are gone at once; its lease stays in the map until somebody takes it out. */
  async kill(name: string): Promise<void> {
    const node = this.node(name);
    this.#nodes.delete(name);
    await this.vpc.detach(node.eniId);
    await node.close();
  }

  checksOff(except: readonly string[] = []): Promise<void> {
    const off = this.nodes.filter((node) => !except.includes(node.spec.name));
    return this.vpc.applyNetworkInterfaces(
      off.map(({ eniId }) => ({ NetworkInterfaceId: eniId, SourceDestCheck: false })),
    );
  }

  /** Writes the map with a further revision, after `change`. */
  publish(change: (map: MapFile) => void = () => undefined): void {
    change(this.map);
    this.map.revision += 1;
    writeMap(this.mapPath, this.map);
  }

  lease(name: string) {
    const found = this.map.leases.find(({ instanceId }) => instanceId === `i-${name}`);
    if (found === undefined) throw new Error(`no lease of ${name}`);
    return found;
  }
}
