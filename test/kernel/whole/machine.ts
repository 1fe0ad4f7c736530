/** An EC2 instance that runs the agent: its namespace as long as it is on, its disk for as long as it is there. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readStatus } from '../../../agent/serve/read-status.ts';
import { sandboxAccount, sandboxRegion } from '../../../infra/sandbox/service.ts';
import { AgentProcess, runAgent } from '../lab/agent-process.ts';
import { ip, ipBatch, setSysctls } from '../lab/command.ts';
import { Endpoint } from '../lab/endpoint.ts';
import { makeNamespace, removeNamespace } from '../lab/namespaces.ts';
import { until } from '../lab/until.ts';
import type { Vpc } from '../vpc/vpc.ts';
import type { Cloud } from './cloud.ts';
import { foreignRows, plantForeignRows } from './foreign-rows.ts';
import type { Metadata } from './metadata-service.ts';

export interface Described {
  readonly instanceId: string;
  readonly eniId: string;
  readonly mac: string;
  readonly subnetId: string;
  readonly address: string;
}

export interface Peer {
  readonly subnet: string;
  readonly path: string | null;
  readonly why: string;
}

export interface Status {
  readonly ready: boolean;
  readonly revision: number | null;
  readonly subnets: readonly string[];
  readonly leases: readonly Peer[];
  readonly problems: readonly string[];
  readonly map: { readonly problem: string | null };
}

interface On {
  readonly namespace: string;
  readonly agent: AgentProcess;
  /** Its address towards AWS. */
  readonly awsAddress: string;
  readonly foreign: string;
  pod: Endpoint | undefined;
  podNamespace: string | undefined;
}

export class Machine {
  readonly name: string;
  readonly instance: Described;
  readonly #cloud: Cloud;
  readonly #vpc: Vpc;
  readonly #folder: string;
  #on: On | undefined;
  #subnet = '';

  constructor(name: string, instance: Described, world: { readonly cloud: Cloud; readonly vpc: Vpc }) {
    this.name = name;
    this.instance = instance;
    this.#cloud = world.cloud;
    this.#vpc = world.vpc;
    this.#folder = join(world.cloud.folder, name);
    mkdirSync(this.#folder, { recursive: true });
  }

  /** Switches it on; the agent claims at once. */
  async boot(): Promise<void> {
    const { eniId, subnetId, address, mac } = this.instance;
    const namespace = await makeNamespace(this.name);
    const rpFilter = { 'net/ipv4/conf/all/rp_filter': 0, 'net/ipv4/conf/default/rp_filter': 0 };
    await setSysctls(namespace, { 'net/ipv4/ip_forward': 1, ...rpFilter });
    await this.#vpc.attach({ id: eniId, subnetId, address, mac, namespace, allowedFrom: ['0.0.0.0/0'] });
    await ipBatch(namespace, [
      'link set lo up',
      `address add ${address}/24 dev eth0`,
      `route add default via ${this.#vpc.subnet(subnetId).router} dev eth0`,
    ]);
    const awsAddress = await this.#cloud.plug(namespace, metadataOf(this.instance));
    await plantForeignRows(namespace);
    const foreign = await foreignRows(namespace);
    const files = ['--state-dir', this.stateDir, '--subnet-env', this.#subnetEnv];
    const run = [
      'run',
      '--forwarding',
      '--masquerade',
      '--rp-filter',
      'keep',
      '--poll',
      '1',
      '--listen',
      'off',
      ...files,
    ];
    const agent = new AgentProcess(namespace, run, this.#cloud.machineEnv);
    this.#on = { namespace, agent, awsAddress, foreign, pod: undefined, podNamespace: undefined };
  }

  /** Waits for `subnet.env`, then makes the bridge of it and a pod behind, as the CNI plugin does. */
  async startPod(): Promise<void> {
    const { namespace } = this.on;
    await until(`${this.name} has subnet.env`, () => existsSync(this.#subnetEnv), 30_000).catch((error) => {
      throw new Error(`${error.message}\n${this.on.agent.log}`);
    });
    const keys = new Map(
      readFileSync(this.#subnetEnv, 'utf8')
        .split('\n')
        .map((line) => line.split('=') as [string, string]),
    );
    const bridge = keys.get('FLANNEL_SUBNET') ?? '';
    this.#subnet = bridge.replace('.1/', '.0/');
    const mtu = keys.get('FLANNEL_MTU');
    const podNamespace = await makeNamespace(`${this.name}-pod`);
    this.on.podNamespace = podNamespace;
    await ipBatch(namespace, [
      `link add cni0 mtu ${mtu} type bridge`,
      'link set cni0 addrgenmode none up',
      `address add ${bridge} dev cni0`,
      `link add pod0 mtu ${mtu} type veth peer name eth0 netns ${podNamespace} mtu ${mtu}`,
      'link set pod0 master cni0',
      'link set pod0 addrgenmode none up',
    ]);
    await ipBatch(podNamespace, [
      'link set lo up',
      'link set eth0 addrgenmode none up',
      `address add ${this.podIp}/24 dev eth0`,
      `route add default via ${bridge.split('/')[0]}`,
    ]);
    this.on.pod = await Endpoint.start(podNamespace);
  }

  /** Switched off: memory, links and what was under `/run` are gone at once, the disk stays. */
  async off(): Promise<void> {
    const on = this.#on;
    if (on === undefined) return;
    this.#on = undefined;
    await on.agent.stop('SIGKILL');
    on.pod?.close();
    if (on.podNamespace !== undefined) removeNamespace(on.podNamespace);
    await this.#vpc.detach(this.instance.eniId);
    removeNamespace(on.namespace);
    rmSync(this.#subnetEnv, { force: true });
  }

  get on(): On {
    if (this.#on === undefined) throw new Error(`${this.name} is switched off`);
    return this.#on;
  }

  /** Its lease, once there was a pod. */
  get subnet(): string {
    return this.#subnet;
  }

  get pod(): Endpoint {
    if (this.on.pod === undefined) throw new Error(`${this.name} has no pod yet`);
    return this.on.pod;
  }

  /** What its agent said; empty when it is off. */
  get log(): string {
    return this.#on?.agent.log ?? '';
  }

  get podIp(): string {
    return this.#subnet.replace('.0/24', '.2');
  }

  get stateDir(): string {
    return join(this.#folder, 'state');
  }

  get #subnetEnv(): string {
    return join(this.#folder, 'subnet.env');
  }

  /** Null: no agent answers yet. */
  async status(): Promise<Status | null> {
    return (await readStatus(this.stateDir).catch(() => null)) as Status | null;
  }

  /** The same by the command that people type. */
  async shownStatus(): Promise<Status> {
    const { stdout, stderr } = await runAgent(this.on.namespace, ['status', '--json', '--state-dir', this.stateDir]);
    if (stdout === '') throw new Error(`${this.name}: ${stderr}\n${this.on.agent.log}`);
    return JSON.parse(stdout) as Status;
  }

  /** Rows of its kernel for exactly that subnet. */
  async routesTo(subnet: string): Promise<string> {
    return (await ip(this.on.namespace, `route show exact ${subnet}`)).trim();
  }

  /** What is in its kernel that is not ours, and what was there before the agent. */
  async foreignRows(): Promise<{ readonly before: string; readonly now: string }> {
    return { before: this.on.foreign, now: await foreignRows(this.on.namespace) };
  }
}

/** The node's rights come from here, too: the access key says whose instance profile it is. */
function metadataOf({ instanceId, eniId, subnetId, mac }: Described): Metadata {
  const card = `/latest/meta-data/network/interfaces/macs/${mac}`;
  const role = '/latest/meta-data/iam/security-credentials/';
  return {
    '/latest/dynamic/instance-identity/document': JSON.stringify({
      instanceId,
      region: sandboxRegion,
      accountId: sandboxAccount,
    }),
    '/latest/meta-data/services/partition': 'aws',
    [`${card}/interface-id`]: eniId,
    [`${card}/subnet-id`]: subnetId,
    [`${card}/device-number`]: '0',
    [role]: 'node',
    [`${role}node`]: JSON.stringify({
      Code: 'Success',
      Type: 'AWS-HMAC',
      AccessKeyId: `NODE${instanceId}`,
      SecretAccessKey: 'none',
      Token: 'none',
      Expiration: '2099-01-01T00:00:00Z',
    }),
  };
}
