/** Node addresses that were asked for and that the uplink does not have. */
import type { Family } from '../../shared/domain/cidr.ts';
import type { NodeFacts } from '../../shared/domain/node-facts.ts';
import { nodeAddressOf } from '../../shared/domain/path.ts';
import type { AgentLease } from '../../shared/domain/read-map.ts';
import type { NodeOptions } from './node-options.ts';

type Chosen = NodeOptions['nodeAddresses'];

const optionOf: Readonly<Record<Family, string>> = { ipv4: '--node-ip', ipv6: '--node-ipv6' };

/** A mistake of whoever started the agent. An uplink without any address of the family is none: it may come. */
export function wrongChoice(chosen: Chosen, { addresses, uplink }: NodeFacts, families: readonly Family[]) {
  for (const family of families) {
    const [wanted, present] = [chosen[family], addresses[family]?.address];
    if (wanted === null || present === undefined || wanted === present) continue;
    return `${optionOf[family]} ${wanted} is not an address of ${uplink}, which has ${present}`;
  }
  return null;
}

/** May be meant, when an operator advertises the address of something in front of the node. */
export function addressesElsewhere(
  own: AgentLease,
  chosen: Chosen,
  { addresses, uplink }: NodeFacts,
  families: readonly Family[],
): readonly string[] {
  return families.flatMap((family) => {
    const [leased, present] = [nodeAddressOf(own, family), addresses[family]?.address];
    if (chosen[family] !== null || leased === null || present === undefined || leased === present) return [];
    return [`the map gives this node the address ${leased}, which ${uplink} does not have: packets carry ${present}`];
  });
}
