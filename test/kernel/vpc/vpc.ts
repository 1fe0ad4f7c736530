/**
 * A VPC in a network namespace: one bridge a subnet, one port an ENI, a router between them. It forwards what the real
 * one forwards and loses, without a word, what the real one loses.
 *
 * It knows of EC2 only what it is given: route tables and ENIs in the form that Describe prints. Gateways to the outside
 * are beyond the model; a router's hop takes one from the TTL, which AWS's does not.
 */
import { bridgeBatch, inNamespace, ipBatch, run, setSysctls } from '../lab/command.ts';
import { makeNamespace, removeNamespace } from '../lab/namespaces.ts';
import type { DescribedInterface, DescribedRouteTable } from './describe.ts';
import { bridgeFilter, routerSilence } from './filter.ts';
import { type EniSpec, eniMac, linkLocalOf, type PlacedEni, type PlacedSubnet, routerLinkLocal } from './placed-eni.ts';
import {
  localRows,
  localTable,
  numberTables,
  type RouterRows,
  routeCommands,
  ruleCommands,
  subnetRules,
  tableRows,
} from './router.ts';

export interface SubnetSpec {
  readonly id: string;
  readonly cidr: string;
  readonly ipv6Cidr?: string | undefined;
}

export interface VpcSpec {
  /** Of both families. */
  readonly cidrs: readonly string[];
  readonly subnets: readonly SubnetSpec[];
  /** Milliseconds from a table being given to packets following it; 0 unless given. */
  readonly dataPathDelayMs?: number | undefined;
}

/** In-VPC jumbo frames. */
export const vpcMtu = 9001;

const nothing: RouterRows = new Map();

export class Vpc {
  readonly namespace: string;
  readonly subnets: readonly PlacedSubnet[];
  /** Changes how late tables given from now on reach the data path. */
  dataPathDelayMs: number;
  readonly #cidrs: readonly string[];
  readonly #enis = new Map<string, PlacedEni>();
  readonly #unchecked = new Set<string>();
  readonly #tableNumbers = new Map<string, number>();
  #tables: readonly DescribedRouteTable[] = [];
  #rows: RouterRows = nothing;
  #rules: RouterRows = nothing;
  #filter = '';
  #number = 0;
  #turn: Promise<void> = Promise.resolve();

  private constructor(namespace: string, spec: VpcSpec) {
    this.namespace = namespace;
    this.#cidrs = spec.cidrs;
    this.dataPathDelayMs = spec.dataPathDelayMs ?? 0;
    this.subnets = spec.subnets.map(({ id, cidr, ipv6Cidr }, index) => ({
      id,
      cidr,
      ipv6Cidr,
      bridge: `s${index}`,
      router: firstAddress(cidr),
      routerMac: `0a:ee:00:00:00:${index.toString(16).padStart(2, '0')}`,
    }));
  }

  static async create(spec: VpcSpec): Promise<Vpc> {
    const vpc = new Vpc(await makeNamespace('vpc'), spec);
    await vpc.#build();
    return vpc;
  }

  close(): void {
    removeNamespace(this.namespace);
  }

  subnet(id: string): PlacedSubnet {
    const found = this.subnets.find((subnet) => subnet.id === id);
    if (found === undefined) throw new Error(`the VPC has no subnet ${id}`);
    return found;
  }

  eni(id: string): PlacedEni {
    const found = this.#enis.get(id);
    if (found === undefined) throw new Error(`the VPC has no ENI ${id}`);
    return found;
  }

  /** Plugs an ENI into a namespace: the link appears there, up, with the ENI's MAC and no addresses. */
  attach(spec: EniSpec): Promise<PlacedEni> {
    return this.#inTurn(async () => {
      this.#number += 1;
      const number = this.#number;
      const mac = spec.mac ?? eniMac(number);
      const gateway = `fe80::e:${number.toString(16)}`;
      const { bridge } = this.subnet(spec.subnetId);
      const eni: PlacedEni = {
        ...spec,
        number,
        mac,
        bridge,
        port: `p${number}`,
        gateway,
        allowedFrom: spec.allowedFrom ?? [],
      };
      const link = spec.link ?? 'eth0';
      await ipBatch(this.namespace, [
        `link add ${eni.port} mtu ${vpcMtu} type veth peer name ${link} netns ${eni.namespace} address ${mac} mtu ${vpcMtu}`,
        `link set ${eni.port} master ${bridge}`,
        `link set ${eni.port} type bridge_slave learning off flood off bcast_flood off mcast_flood on proxy_arp_wifi on`,
        `link set ${eni.port} addrgenmode none up`,
        `neigh replace ${gateway} lladdr ${mac} dev ${bridge} nud permanent`,
        `neigh replace ${linkLocalOf(mac)} lladdr ${mac} dev ${bridge} nud permanent`,
        `neigh replace ${eni.address} lladdr ${mac} dev ${bridge} nud permanent`,
      ]);
      await bridgeBatch(this.namespace, [`fdb replace ${mac} dev ${eni.port} master static`]);
      this.#enis.set(eni.id, eni);
      await this.#mirror();
      await ipBatch(eni.namespace, [`link set ${link} up`]);
      return eni;
    });
  }

  /** The ENI is gone, and with it its link: routes to it are blackholes, its address is nobody's. */
  detach(id: string): Promise<void> {
    return this.#inTurn(async () => {
      const eni = this.eni(id);
      this.#enis.delete(id);
      this.#unchecked.delete(id);
      await this.#mirror();
      const names = [eni.gateway, linkLocalOf(eni.mac), ...(this.#ownerOf(eni.address) ? [] : [eni.address])];
      await ipBatch(this.namespace, [
        ...names.map((name) => `neigh del ${name} dev ${eni.bridge}`),
        `link del ${eni.port}`,
      ]);
    });
  }

  /** Whether the ENI's instance runs. Nothing else changes: not its address, not who routes to it. */
  async power(id: string, on: boolean): Promise<void> {
    await ipBatch(this.namespace, [`link set ${this.eni(id).port} ${on ? 'up' : 'down'}`]);
  }

  allowFrom(id: string, cidrs: readonly string[]): Promise<void> {
    return this.#inTurn(() => {
      this.#enis.set(id, { ...this.eni(id), allowedFrom: cidrs });
      return this.#mirror();
    });
  }

  /** Takes over `RouteTables`; settles when packets follow them. */
  async applyRouteTables(tables: readonly DescribedRouteTable[]): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.dataPathDelayMs));
    await this.#inTurn(() => {
      this.#tables = tables;
      return this.#mirror();
    });
  }

  /** Takes over the source/destination checks of `NetworkInterfaces`; it is on for every ENI not said to have it off. */
  applyNetworkInterfaces(interfaces: readonly DescribedInterface[]): Promise<void> {
    return this.#inTurn(() => {
      this.#unchecked.clear();
      for (const { NetworkInterfaceId, SourceDestCheck } of interfaces) {
        if (SourceDestCheck === false) this.#unchecked.add(NetworkInterfaceId);
      }
      return this.#mirror();
    });
  }

  async #build(): Promise<void> {
    const each = (line: (subnet: PlacedSubnet) => string) => this.subnets.map(line);
    await setSysctls(this.namespace, {
      'net/ipv4/ip_forward': 1,
      'net/ipv6/conf/all/forwarding': 1,
      'net/ipv6/conf/default/accept_dad': 0,
      // Each bridge answers for its own router address alone, and no route is told to be better by another neighbour.
      'net/ipv4/conf/all/arp_ignore': 1,
      'net/ipv4/conf/all/send_redirects': 0,
      'net/ipv4/conf/default/send_redirects': 0,
      'net/ipv4/conf/all/rp_filter': 0,
      'net/ipv4/conf/default/rp_filter': 0,
    });
    await ipBatch(this.namespace, [
      'link set lo up',
      ...each((s) => `link add ${s.bridge} address ${s.routerMac} mtu ${vpcMtu} type bridge mcast_snooping 0`),
      ...each((s) => `link set ${s.bridge} addrgenmode none up`),
      ...each((s) => `address add ${s.router}/32 dev ${s.bridge}`),
      ...each((s) => `address add ${routerLinkLocal}/64 dev ${s.bridge} nodad`),
    ]);
    for (const family of ['-4', '-6'] as const) {
      await ipBatch(
        this.namespace,
        [
          `rule add pref 100 lookup ${localTable}`,
          'rule add pref 30000 blackhole',
          'rule del pref 32766',
          ...(family === '-4' ? ['rule del pref 32767'] : []),
        ],
        family,
      );
    }
    await run(inNamespace(this.namespace, ['nft', '-f', '-']), routerSilence);
    await this.#mirror();
  }

  #ownerOf(address: string): PlacedEni | undefined {
    return [...this.#enis.values()].find((eni) => eni.address === address);
  }

  async #mirror(): Promise<void> {
    numberTables(this.#tables, this.#tableNumbers);
    const rows = new Map([
      ...localRows(this.#cidrs, this.#enis.values()),
      ...tableRows(this.#tables, this.#tableNumbers, this.#enis),
    ]);
    const rules = subnetRules(this.subnets, this.#tables, this.#tableNumbers);
    const ruleChanges = ruleCommands(this.#rules, rules);
    await ipBatch(this.namespace, routeCommands(this.#rows, rows));
    await ipBatch(this.namespace, ruleChanges, '-4');
    await ipBatch(this.namespace, ruleChanges, '-6');
    this.#rows = rows;
    this.#rules = rules;
    const filter = bridgeFilter([...this.#enis.values()], this.#unchecked);
    if (filter === this.#filter) return;
    await run(inNamespace(this.namespace, ['nft', '-f', '-']), filter);
    this.#filter = filter;
  }

  /** One change after the other; a failed one stops only its own caller. */
  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(change);
    this.#turn = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }
}

function firstAddress(cidr: string): string {
  const [base = ''] = cidr.split('/');
  return base.replace(/\d+$/, (last) => String(Number(last) + 1));
}
