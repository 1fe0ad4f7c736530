/**
 * The guard on a node: a map from which many peers vanished without a word is believed only when it stays that way.
 *
 * A peer that left properly is still in the map, withdrawn or released, or its holder has another subnet now: that is
 * strong. One that the last map had and this one does not mention is weak. Peers that no map of this process knew
 * (an earlier life's) are the plan's business and strong. There is no force on nodes: two further revisions or ten
 * minutes that agree let through.
 */
import { exceedsBound } from './guard.ts';
import { type Holders, holdersOf } from './moved-addresses.ts';
import { isProgrammed } from './node-rows.ts';
import type { AgentLease, AgentMap } from './read-map.ts';

const revisionsToAgree = 2;
const millisecondsToAgree = 10 * 60 * 1000;

interface HeldPeer {
  readonly lease: AgentLease;
  /** Milliseconds of the caller's clock, when it was first missed. */
  readonly since: number;
  /** How many further maps lacked it. */
  readonly agreed: number;
}

export interface GuardState {
  /** Remote leases that were programmed with the last map, held ones among them. */
  readonly known: readonly AgentLease[];
  readonly held: readonly HeldPeer[];
  /** Who had each node address last, also where no lease has it any more. */
  readonly holders: Holders;
}

export const noGuardState: GuardState = { known: [], held: [], holders: new Map() };

export interface GuardedMap {
  readonly state: GuardState;
  /** The map with the held peers at its end. */
  readonly map: AgentMap;
  readonly held: readonly AgentLease[];
}

/**
 * @param isNew Whether this is a further map or the last one looked at again.
 * @param now Milliseconds of a clock that only goes forward.
 */
export function holdPeers(
  state: GuardState,
  map: AgentMap,
  own: AgentLease,
  { isNew, now }: { isNew: boolean; now: number },
): GuardedMap {
  const mentioned = mentionedIn(map);
  const still = state.held
    .map((peer) => (isNew ? { ...peer, agreed: peer.agreed + 1 } : peer))
    .filter((peer) => !mentioned(peer.lease))
    .filter((peer) => peer.agreed < revisionsToAgree && now - peer.since < millisecondsToAgree);
  const heldBefore = new Set(state.held.map(({ lease }) => lease.name));
  const vanished = state.known.filter((lease) => !heldBefore.has(lease.name) && !mentioned(lease));
  const hold = exceedsBound(vanished.length + still.length, state.known.length);
  // Peers that are held already stay so by their own time; otherwise two that leave later would let all of them through.
  const held = [...still, ...(hold ? vanished.map((lease) => ({ lease, since: now, agreed: 0 })) : [])];
  const leases = held.map(({ lease }) => lease);
  const peers = map.leases.filter((lease) => lease !== own && isProgrammed(lease));
  return {
    state: { known: [...peers, ...leases], held, holders: isNew ? holdersOf(state.holders, peers) : state.holders },
    map: { ...map, leases: [...map.leases, ...leases] },
    held: leases,
  };
}

/** Whether the map says anything of the lease's subnets, VTEP or holder. */
function mentionedIn(map: AgentMap): (lease: AgentLease) => boolean {
  const things = new Set(map.leases.flatMap(thingsOf));
  return (lease) => thingsOf(lease).some((thing) => things.has(thing));
}

function thingsOf({ subnet, ipv6Subnet, vtepMac, instanceId }: AgentLease): string[] {
  return [subnet.text, ipv6Subnet?.text ?? null, vtepMac, instanceId].filter((thing) => thing !== null);
}
