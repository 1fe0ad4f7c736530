/** What the agent says of itself: `leaseway agent status --json`, the health endpoints and the metrics all show this. */

/** One remote lease, in one family. */
export interface PeerStatus {
  /** The lease's subnet of this family, canonical; what a refused lease is called. */
  readonly subnet: string;
  readonly instanceId: string | null;
  /** Null: none is programmed, and `why` says why. */
  readonly path: 'vpc' | 'host-gw' | 'vxlan' | null;
  /** The address that the route goes by; null where the lease has no row of its own. */
  readonly via: string | null;
  readonly dev: string | null;
  /** A sentence. */
  readonly why: string;
}

export interface AgentStatus {
  /** Own lease known, own device up, every healthy row read back. */
  readonly ready: boolean;
  /** Of the map that was last applied; null: none was yet. */
  readonly epoch: number | null;
  readonly revision: number | null;
  readonly network: string | null;
  /** The own lease's subnets; empty while it is not in the map. */
  readonly subnets: readonly string[];
  readonly leases: readonly PeerStatus[];
  /** What is wrong, one sentence each, sorted; the same problem is the same text in every pass. */
  readonly problems: readonly string[];
  /** Foreign rows that hold a wanted prefix, or take a part of it. */
  readonly conflicts: readonly string[];
  readonly counts: AgentCounts;
}

interface AgentCounts {
  readonly passes: number;
  /** Rows that were created, replaced or deleted since the start. */
  readonly changes: number;
  /** Rows of the last pass that could not be programmed. */
  readonly failedRows: number;
  /** Leases of the last pass that have no path or were refused. */
  readonly skippedLeases: number;
  /** Peers that the guard keeps although the map no longer has them. */
  readonly heldPeers: number;
}
