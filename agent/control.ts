/**
 * All of the agent that is not the kernel's: who the node is, its claim, where maps come from, and what it says of itself.
 * `startControl` gives the loop its two ports and takes everything down again.
 */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../shared/aws/clients.ts';
import type { Cidr } from '../shared/domain/cidr.ts';
import type { AgentMap } from '../shared/domain/read-map.ts';
import { readBootId } from './boot-id.ts';
import type { ClaimStatus } from './claim/claim-status.ts';
import { type Claiming, startClaiming } from './claim/claiming.ts';
import { type LeaseMemory, leaseMemory } from './claim/lease-memory.ts';
import { oldAddresses } from './claim/lost-subnet.ts';
import { dynamoNodeClaims } from './claim/node-claims.ts';
import { previousSubnet, readSubnetEnv } from './claim/previous-subnet.ts';
import { readHostNetwork } from './identity/host-network.ts';
import type { NodeIdentity } from './identity/node-identity.ts';
import type { Runner } from './linux/runner.ts';
import type { AgentLog, MapSource } from './reconcile/ports.ts';
import type { ClockUntil } from './stoppable-clock.ts';
import { dynamoMapSource } from './watch/dynamo-map-source.ts';
import { dynamoMapItems } from './watch/map-items.ts';
import { mapMemory } from './watch/map-memory.ts';

export interface ControlOptions {
  readonly network: string;
  readonly claimsTable: string;
  readonly mapTable: string;
  readonly stateDir: string;
  /** Null: none is written, and none is read. */
  readonly subnetEnv: string | null;
  /** `--subnet`: this one or none. */
  readonly subnet: Cidr | null;
  /** Milliseconds between two looks at the map. */
  readonly poll: number;
  readonly version: string;
}

export interface ControlPorts {
  readonly identity: NodeIdentity;
  /** Reads the identity anew: the interface's MTU or prefix may have changed since. */
  refreshIdentity(): Promise<NodeIdentity>;
  readonly runner: Runner;
  readonly clockUntil: ClockUntil;
  readonly log: AgentLog;
  /** Null: made for the instance's region. */
  readonly client?: DynamoDBDocumentClient;
}

export interface Control {
  readonly source: MapSource;
  claimStatus(): ClaimStatus;
  /** Tells what the loop applied: renewals carry it, and the lease's length comes from it. */
  applied(map: AgentMap): void;
  /** Ends the claim's loop; with `release` the lease is given up. The source is the loop's to close. */
  close(release: boolean): Promise<void>;
}

/** Claims at once, and goes on by itself. */
export async function startControl(options: ControlOptions, ports: ControlPorts): Promise<Control> {
  const { identity, log, runner, clockUntil } = ports;
  const { arn: instanceArn, region } = identity.instance;
  const client = ports.client ?? documentClient({ region });
  const bootId = await readBootId();
  const lease = leaseMemory(options.stateDir);
  const previous = await wish(options, lease, instanceArn, log);
  let applied: AgentMap | null = null;

  const claiming: Claiming = startClaiming({
    claims: dynamoNodeClaims({ client, tableName: options.claimsTable }, instanceArn),
    memory: lease,
    instanceArn,
    bootId,
    subnet: options.subnet,
    previous,
    facts: async () => claimFacts(options, await ports.refreshIdentity()),
    appliedRevision: () => applied?.revision ?? null,
    leaseSeconds: () => applied?.config.leaseSeconds ?? null,
    oldAddresses: async (subnet) => oldAddresses((await readHostNetwork(runner)).links, subnet),
    clockUntil,
    log,
  });

  const source = dynamoMapSource({
    items: dynamoMapItems({ client, tableName: options.mapTable }, options.network),
    network: options.network,
    memory: mapMemory({
      stateDir: options.stateDir,
      network: options.network,
      lease,
      bootId,
      instanceArn,
      now: () => clockUntil(new AbortController().signal).now(),
    }),
    poll: options.poll,
    // Until the own lease is in the map the node can do nothing, whatever was granted.
    isWaiting: () => claiming.isWaiting() || !holdsOwnLease(applied, identity.instance.instanceId),
    clockUntil,
    log,
  });

  return {
    source,
    claimStatus: () => claiming.status(),
    applied: (map) => {
      applied = map;
    },
    close: async (release) => {
      if (release) await claiming.release();
      else await claiming.close();
      if (ports.client === undefined) client.destroy();
    },
  };
}

function claimFacts({ network, version }: ControlOptions, { eni, interface: chosen }: NodeIdentity) {
  return {
    network,
    // The keeper takes the primary one by itself; naming it would be wrong after an ENI was exchanged.
    eniId: eni === null || eni.isPrimary ? null : eni.eniId,
    onLinkPrefix: (chosen.ipv4 ?? chosen.ipv6)?.onLinkPrefix ?? null,
    mtu: chosen.mtu,
    agentVersion: version,
  };
}

function holdsOwnLease(map: AgentMap | null, instanceId: string): boolean {
  return map?.leases.some((lease) => lease.instanceId === instanceId) ?? false;
}

async function wish(
  { stateDir, subnetEnv }: ControlOptions,
  memory: LeaseMemory,
  instanceArn: string,
  log: AgentLog,
): Promise<Cidr | null> {
  let remembered: Awaited<ReturnType<LeaseMemory['read']>> = null;
  try {
    remembered = await memory.read();
  } catch (error) {
    log.warn(`${stateDir}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const text = remembered === null && subnetEnv !== null ? await readSubnetEnv(subnetEnv) : null;
  return previousSubnet(remembered, instanceArn, text);
}
