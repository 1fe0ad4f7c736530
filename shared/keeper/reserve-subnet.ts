/** `reserve`: an operator's hold on a subnet by an ENI, without instance and without expiry. */
import { type Cidr, contains, overlaps } from '../domain/cidr.ts';
import type { CommandOf } from '../domain/command.ts';
import { placed } from '../domain/grant.ts';
import { InvalidInput } from '../domain/invalid-input.ts';
import { isHeld } from '../domain/lease.ts';
import { leaseDetailJson } from '../domain/lease-json.ts';
import { type LeaseRecord, notAdvertised } from '../domain/lease-record.ts';
import type { NetworkConfig } from '../domain/network-config.ts';
import { needsCheckOff } from '../domain/segment.ts';
import { misfit, pairOf } from '../domain/subnet-pool.ts';
import { nextVersion } from '../domain/version.ts';
import { type CommandPorts, configOf, decideAndCommit, ec2Read, readVpc } from './command-ports.ts';
import type { InterfaceFacts } from './ports.ts';
import { switchChecksOff } from './source-dest-check.ts';
import type { WorkingBook } from './working-book.ts';

/** `warnings` names a source/destination check that is not known to be off; the sweep goes on trying. */
export async function reserveSubnet(ports: CommandPorts, { subnet, eniId }: CommandOf<'reserve'>) {
  return decideAndCommit(ports, async (book) => {
    const config = configOf(book);
    const stored = book.leases.get(subnet.text) ?? null;
    checkFree(book, config, subnet, eniId);
    if (stored?.state === 'reserved') {
      return { result: { lease: leaseDetailJson(stored, null), warnings: [] as string[] }, transaction: null };
    }
    const vpc = await readVpc(ports, config);
    const pair = pairOf(config, subnet);
    const inTheWay = vpc.foreign.find(
      (row) => contains(pair.subnet, row) || (pair.ipv6Subnet !== null && contains(pair.ipv6Subnet, row)),
    );
    if (inTheWay !== undefined) {
      throw new InvalidInput('subnet', subnet.text, `conflicts with the foreign route ${inTheWay.text}`);
    }
    const eni = await findEni(ports, eniId, vpc.vpcId);
    const checks = await switchChecksOff(ports, [eni], needsCheckOff(config));
    const nowMs = ports.clock.now();
    const item: LeaseRecord = {
      ...pair,
      instanceId: null,
      instanceArn: null,
      claimId: null,
      ...placed(eni, { advertise: notAdvertised, onLinkPrefix: null, checkIsOff: checks.off.has(eniId) }, config),
      vtepMac: null,
      state: 'reserved',
      acquiredAt: Math.floor(nowMs / 1000),
      expiresAt: null,
      version: nextVersion(stored?.version ?? null, nowMs),
      advertise: notAdvertised,
      onLinkPrefix: null,
      mtu: null,
      releasedAt: null,
      ttl: null,
    };
    return {
      result: { lease: leaseDetailJson(item, null), warnings: [...checks.problems.values()] },
      transaction: {
        leases: [{ item, expected: stored?.version ?? null }],
        configRevision: book.configRevision,
      },
    };
  });
}

function checkFree(book: WorkingBook, config: NetworkConfig, subnet: Cidr, eniId: string): void {
  const refuse = (problem: string) => new InvalidInput('subnet', subnet.text, problem);
  const problem = misfit(config, subnet);
  if (problem !== null) throw refuse(problem);
  const range = config.protected.find((block) => overlaps(block, subnet));
  if (range !== undefined) throw refuse(`is in the protected range ${range.text}`);
  if (book.unreadableSubnets.some((other) => overlaps(other, subnet))) throw refuse('has an item that cannot be read');
  const holder = [...book.leases.values()].find((lease) => isHeld(lease.state) && overlaps(lease.subnet, subnet));
  if (holder === undefined || (holder.state === 'reserved' && holder.eniId === eniId)) return;
  throw refuse(holder.instanceId === null ? `is reserved for ${holder.eniId}` : `is held by ${holder.instanceId}`);
}

async function findEni({ ec2 }: CommandPorts, eniId: string, vpcId: string): Promise<InterfaceFacts> {
  const [eni] = await ec2Read(() => ec2.describeInterfaces([eniId]));
  if (eni === undefined) throw new InvalidInput('eniId', eniId, 'is not known to EC2');
  if (eni.vpcId === vpcId) return eni;
  throw new InvalidInput('eniId', eniId, `is in ${eni.vpcId}, and the route tables are in ${vpcId}`);
}
