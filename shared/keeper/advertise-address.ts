/** `advertise`: the operator's address for a node, in place of the one that EC2 knows. */
import { tryParseAddress } from '../domain/cidr.ts';
import type { CommandOf } from '../domain/command.ts';
import { placed } from '../domain/grant.ts';
import { InvalidInput } from '../domain/invalid-input.ts';
import { leaseDetailJson } from '../domain/lease-json.ts';
import { type Advertised, notAdvertised } from '../domain/lease-record.ts';
import { nextVersion } from '../domain/version.ts';
import { type CommandPorts, configOf, decideAndCommit, ec2Read } from './command-ports.ts';
import { heldLease } from './find-leases.ts';

/**
 * It is kept with the holder, so that neither a renewal nor a restart nor a change of subnet loses it, and need not be an
 * address of the node itself. `null` gives both families back to EC2.
 */
export async function advertiseAddress(ports: CommandPorts, command: CommandOf<'advertise'>) {
  const address = command.address === null ? null : tryParseAddress(command.address);
  if (address === null && command.address !== null) {
    throw new InvalidInput('address', command.address, 'is neither an IP address nor null');
  }
  return decideAndCommit(ports, async (book) => {
    const config = configOf(book);
    const { lease, holder } = heldLease(book, command);
    const advertise: Advertised =
      address === null ? notAdvertised : { ...lease.advertise, [address.family]: address.text };
    const [eni] = await ec2Read(() => ports.ec2.describeInterfaces([lease.eniId]));
    if (eni === undefined) throw new InvalidInput('', undefined, `EC2 does not list ${lease.eniId}`);
    const nowMs = ports.clock.now();
    const item = {
      ...lease,
      ...placed(eni, { ...lease, advertise, checkIsOff: !eni.sourceDestCheck }, config),
      advertise,
      version: nextVersion(lease.version, nowMs),
    };
    const next = holder === null ? null : { ...holder, advertise, version: nextVersion(holder.version, nowMs) };
    return {
      result: { lease: leaseDetailJson(item, next) },
      transaction: {
        leases: [{ item, expected: lease.version }],
        ...(next === null || holder === null ? {} : { holders: [{ item: next, expected: holder.version }] }),
      },
    };
  });
}
