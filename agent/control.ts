/**
 * The agent's side that speaks with DynamoDB: its claim, and the maps it is answered with. Everything here can fail for
 * hours without a packet being lost.
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
  /** Null: there is none to look the previous subnet up in. */
  readonly subnetEnv: string | null;
  /** `--subnet`: this one or none. */
  readonly subnet: Cidr | null;
  /** Milliseconds between two looks at the map. */
  readonly poll: number;
  readonly version: string;
  /** False: only reads maps (`--once`, `--plan`). */
  readonly claims: boolean;
}

export interface ControlPorts {
  readonly identity: NodeIdentity;
  /** Reads the identity anew, for each claim: the interface's MTU or prefix may have changed. */
  readIdentity(): Promise<NodeIdentity>;
  /** What the loop made of the maps so far. */
  appliedRevision(): number | null;
  lastMap(): AgentMap | null;
  readonly runner: Runner;
  readonly clockUntil: ClockUntil;
  readonly log: AgentLog;
  /** One for the instance's region, unless given. */
  readonly client?: DynamoDBDocumentClient;
}

export interface Control {
  /** The loop's to start and to close. */
  readonly source: MapSource;
  /** Null: nothing is claimed. */
  claimStatus(): ClaimStatus | null;
  /** Ends the claim's loop; with `release` the lease is given up. @throws Refusal when that cannot be said */
  close(release: boolean): Promise<void>;
}

/** Claims at once, and goes on by itself. */
export async function startControl(options: ControlOptions, ports: ControlPorts): Promise<Control> {
  const { network, mapTable, stateDir } = options;
  const { identity, log, clockUntil } = ports;
  const { arn: instanceArn, instanceId, region } = identity.instance;
  const client = ports.client ?? documentClient({ region });
  const bootId = await readBootId();
  const lease = leaseMemory(stateDir);
  const claiming = options.claims ? await claim(options, ports, client, lease, bootId) : null;
  const holdsLease = () => ports.lastMap()?.leases.some((own) => own.instanceId === instanceId) ?? false;
  const { now } = clockUntil(new AbortController().signal);

  const source = dynamoMapSource({
    items: dynamoMapItems({ client, tableName: mapTable }, network),
    network,
    memory: mapMemory({ stateDir, network, lease, bootId, instanceArn, now }),
    poll: options.poll,
    // What was granted is of no use until the map has it; what was refused may be so for days.
    isWaiting: () => claiming !== null && (claiming.isWaiting() || (isGranted(claiming) && !holdsLease())),
    clockUntil,
    log,
  });
  return {
    source,
    claimStatus: () => claiming?.status() ?? null,
    close: async (release) => {
      try {
        await (release ? claiming?.release() : claiming?.close());
      } finally {
        if (ports.client === undefined) client.destroy();
      }
    },
  };
}

function isGranted(claiming: Claiming): boolean {
  return claiming.status().state === 'granted';
}

async function claim(
  options: ControlOptions,
  ports: ControlPorts,
  client: DynamoDBDocumentClient,
  memory: LeaseMemory,
  bootId: string | null,
): Promise<Claiming> {
  const { runner, clockUntil, log } = ports;
  const instanceArn = ports.identity.instance.arn;
  return startClaiming({
    claims: dynamoNodeClaims({ client, tableName: options.claimsTable }, instanceArn),
    memory,
    instanceArn,
    bootId,
    subnet: options.subnet,
    previous: await previous(options, memory, instanceArn, log),
    facts: async () => claimFacts(options, await ports.readIdentity()),
    appliedRevision: () => ports.appliedRevision(),
    leaseSeconds: () => ports.lastMap()?.config.leaseSeconds ?? null,
    oldAddresses: async (subnet) => oldAddresses((await readHostNetwork(runner)).links, subnet),
    clockUntil,
    log,
  });
}

function claimFacts({ network, version }: ControlOptions, { eni, interface: chosen }: NodeIdentity) {
  return {
    network,
    // The keeper takes the primary one by itself, also after it was exchanged.
    eniId: eni === null || eni.isPrimary ? null : eni.eniId,
    onLinkPrefix: (chosen.ipv4 ?? chosen.ipv6)?.onLinkPrefix ?? null,
    mtu: chosen.mtu,
    agentVersion: version,
  };
}

async function previous(
  { subnetEnv }: ControlOptions,
  memory: LeaseMemory,
  instanceArn: string,
  log: AgentLog,
): Promise<Cidr | null> {
  try {
    const remembered = await memory.read();
    const text = remembered === null && subnetEnv !== null ? await readSubnetEnv(subnetEnv) : null;
    return previousSubnet(remembered, instanceArn, text);
  } catch (error) {
    log.warn(`which subnet this node had: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}
