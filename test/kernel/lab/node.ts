/** A node: a namespace with an ENI, a bridge with a pod behind it, and the real agent. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routerLinkLocal } from '../vpc/placed-eni.ts';
import type { Vpc } from '../vpc/vpc.ts';
import { AgentProcess, runAgent } from './agent-process.ts';
import { type Finished, ip, ipBatch, setSysctls } from './command.ts';
import { Endpoint } from './endpoint.ts';
import type { MapLease } from './map-file.ts';
import { makeNamespace, removeNamespace } from './namespaces.ts';

export interface NodeSpec {
  readonly name: string;
  readonly subnetId: string;
  /** With its prefix length, as the interface has it. */
  readonly address: string;
  readonly ipv6?: string | undefined;
  readonly gateway: string;
  readonly lease: string;
  readonly ipv6Lease?: string | undefined;
  readonly vtepMac: string;
  /** Reverse path filter of all links; 2 unless given, as systemd sets it. */
  readonly rpFilter?: number | undefined;
  /** Whether a pod is there to send and answer; it is unless said otherwise. */
  readonly pod?: boolean | undefined;
}

const bare = (address: string): string => address.split('/')[0] ?? address;
const nth = (cidr: string, number: number): string =>
  cidr.includes(':') ? `${bare(cidr)}${number}` : bare(cidr).replace(/\d+$/, (last) => String(Number(last) + number));

export class Node {
  readonly spec: NodeSpec;
  readonly namespace: string;
  readonly instanceId: string;
  readonly eniId: string;
  readonly mapPath: string;
  readonly folder: string;
  #podNamespace: string | undefined;
  #pod: Endpoint | undefined;
  #agent: AgentProcess | undefined;

  private constructor(spec: NodeSpec, namespace: string, folder: string, mapPath: string) {
    this.spec = spec;
    this.namespace = namespace;
    this.instanceId = `i-${spec.name}`;
    this.eniId = `eni-${spec.name}`;
    this.mapPath = mapPath;
    this.folder = folder;
  }

  static async create(vpc: Vpc, spec: NodeSpec, folder: string, mapPath: string): Promise<Node> {
    const node = new Node(spec, await makeNamespace(spec.name), join(folder, spec.name), mapPath);
    mkdirSync(node.folder, { recursive: true });
    await node.#build(vpc);
    if (spec.pod !== false) await node.#addPod();
    return node;
  }

  get nodeIp(): string {
    return bare(this.spec.address);
  }

  /** What sends and answers in the pod. */
  get pod(): Endpoint {
    if (this.#pod === undefined) throw new Error(`node ${this.spec.name} has no pod`);
    return this.#pod;
  }

  get podIp(): string {
    return nth(this.spec.lease, 2);
  }

  get podIpv6(): string {
    return nth(this.spec.ipv6Lease ?? '', 2);
  }

  get agent(): AgentProcess {
    if (this.#agent === undefined) throw new Error(`no agent was started on ${this.spec.name}`);
    return this.#agent;
  }

  /** As the keeper would publish it. */
  get mapLease(): MapLease {
    const { lease, ipv6Lease, ipv6, subnetId, vtepMac } = this.spec;
    return {
      subnet: lease,
      ipv6Subnet: ipv6Lease ?? null,
      instanceId: this.instanceId,
      eniId: this.eniId,
      nodeIp: this.nodeIp,
      nodeIpv6: ipv6 === undefined ? null : bare(ipv6),
      subnetId,
      segment: subnetId,
      vtepMac,
      state: 'active',
      routedIn: [],
      ipv6RoutedIn: [],
    };
  }

  get stateArgs(): readonly string[] {
    return ['--state-dir', join(this.folder, 'state')];
  }

  get subnetEnvPath(): string {
    return join(this.folder, 'subnet.env');
  }

  get subnetEnv(): string {
    return readFileSync(this.subnetEnvPath, 'utf8');
  }

  runArgs(extra: readonly string[] = []): readonly string[] {
    const own = ['--map', this.mapPath, '--instance', this.instanceId, '--subnet-env', this.subnetEnvPath];
    return ['run', ...own, ...this.stateArgs, '--listen', '127.0.0.1:9476', ...extra];
  }

  /** `--once`: 0 all programmed, 2 some skipped, 1 none. */
  once(extra: readonly string[] = []): Promise<Finished> {
    return runAgent(this.namespace, this.runArgs(['--once', ...extra]));
  }

  start(extra: readonly string[] = []): AgentProcess {
    this.#agent = new AgentProcess(this.namespace, this.runArgs(extra));
    return this.#agent;
  }

  cleanup(): Promise<Finished> {
    return runAgent(this.namespace, ['cleanup', ...this.stateArgs]);
  }

  status(): Promise<Finished> {
    return runAgent(this.namespace, ['status', '--json', ...this.stateArgs]);
  }

  ip(words: string): Promise<string> {
    return ip(this.namespace, words);
  }

  /** As if the machine were switched off: everything inside is gone at once. */
  async close(): Promise<void> {
    await this.#agent?.stop('SIGKILL');
    this.#pod?.close();
    if (this.#podNamespace !== undefined) removeNamespace(this.#podNamespace);
    removeNamespace(this.namespace);
  }

  async #build(vpc: Vpc): Promise<void> {
    const { spec, namespace } = this;
    await setSysctls(namespace, {
      'net/ipv4/ip_forward': 1,
      'net/ipv6/conf/all/forwarding': 1,
      // Else a link-local address comes up a second later, in the middle of what is measured.
      'net/ipv6/conf/all/accept_dad': 0,
      'net/ipv6/conf/default/accept_dad': 0,
      'net/ipv4/conf/all/rp_filter': spec.rpFilter ?? 2,
      'net/ipv4/conf/default/rp_filter': spec.rpFilter ?? 2,
    });
    await vpc.attach({
      id: this.eniId,
      subnetId: spec.subnetId,
      address: this.nodeIp,
      ipv6: spec.ipv6 === undefined ? undefined : bare(spec.ipv6),
      namespace,
      allowedFrom: ['0.0.0.0/0', '::/0'],
    });
    await ipBatch(namespace, [
      'link set lo up',
      `address add ${spec.address} dev eth0`,
      `route add default via ${spec.gateway} dev eth0`,
      ...(spec.ipv6 === undefined
        ? []
        : [`address add ${spec.ipv6} dev eth0 nodad`, `route add ::/0 via ${routerLinkLocal} dev eth0`]),
    ]);
  }

  /** A bridge with the subnet's first address, as the CNI plugin makes it, and one pod. */
  async #addPod(): Promise<void> {
    const { spec, namespace } = this;
    const pod = await makeNamespace(`${spec.name}-pod`);
    this.#podNamespace = pod;
    const length = (cidr: string) => cidr.split('/')[1];
    const both = spec.ipv6Lease === undefined ? [spec.lease] : [spec.lease, spec.ipv6Lease];
    const nodad = (cidr: string) => (cidr.includes(':') ? ' nodad' : '');
    await ipBatch(namespace, [
      'link add cni0 type bridge',
      'link set cni0 addrgenmode none up',
      ...both.map((cidr) => `address add ${nth(cidr, 1)}/${length(cidr)} dev cni0${nodad(cidr)}`),
      `link add pod0 mtu 8931 type veth peer name eth0 netns ${pod} mtu 8931`,
      'link set pod0 master cni0',
      'link set pod0 up',
    ]);
    await ipBatch(pod, [
      'link set lo up',
      'link set eth0 up',
      ...both.map((cidr) => `address add ${nth(cidr, 2)}/${length(cidr)} dev eth0${nodad(cidr)}`),
      ...both.map((cidr) => `route add ${cidr.includes(':') ? '::/0' : 'default'} via ${nth(cidr, 1)}`),
    ]);
    this.#pod = await Endpoint.start(pod);
  }
}
