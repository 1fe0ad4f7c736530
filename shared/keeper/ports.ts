/**
 * What the keeper needs of the world. Every verb either gives the whole answer or throws: a partial one is none.
 * The keeper may be killed between any two calls, so each must be safe to repeat.
 */
import type { Answer } from '../domain/answer.ts';
import type { Cidr } from '../domain/cidr.ts';
import type { InstanceState } from '../domain/instance-life.ts';
import type { HolderRecord, LeaseRecord, StoredConfig } from '../domain/lease-record.ts';
import type { NetworkConfig } from '../domain/network-config.ts';

/** The `claims` table. */
export interface ClaimStore {
  /**
   * Both items of the instance, read consistently, as plain objects (attributes unmarshalled, not validated: the node
   * can write either); null where there is none.
   */
  read(instanceArn: string): Promise<{ readonly claim: unknown; readonly answer: unknown }>;
  /** Replaces the answer, whatever it was. `answerItem` of the domain gives its attributes. */
  writeAnswer(instanceArn: string, answer: Answer): Promise<void>;
}

/** All of the `leases` table's items of the network, as of one moment. */
export interface Book {
  readonly config: StoredConfig | null;
  /** Tombstones included. */
  readonly leases: readonly LeaseRecord[];
  readonly holders: readonly HolderRecord[];
  /** The `counter` item's `n`; 0 where there is none. */
  readonly counter: number;
  /** Items that do not validate: their subnets are not given away, and the sweep reports them. */
  readonly unreadable: readonly { readonly sortKey: string; readonly problem: string }[];
}

/** Puts `item` if the stored one has the version `expected`; null: if there is none. */
export interface Write<Item> {
  readonly item: Item;
  readonly expected: number | null;
}

export interface Transaction {
  /** Non-empty: the counter is incremented in the same transaction. */
  readonly leases?: readonly Write<LeaseRecord>[];
  readonly holders?: readonly Write<HolderRecord>[];
  /** Puts the configuration; `expected` is the revision that it replaces. */
  readonly config?: Write<StoredConfig>;
  /** Checks that the configuration has this revision still: on grants. Never together with `config`. */
  readonly configRevision?: number;
  /** Checks that no lease moved since the book was read: on changes of the configuration. */
  readonly counter?: number;
}

/** The `leases` table. */
export interface LeaseBook {
  /** Consistent, to the last page; read again while the counter moves between pages; throws after some attempts. */
  readAll(): Promise<Book>;
  readConfig(): Promise<StoredConfig | null>;
  /** Consistent; null where there is none. Throws on an item that does not validate. */
  readHolder(instanceId: string): Promise<HolderRecord | null>;
  /** Consistent; null where there is none. Throws on an item that does not validate. */
  readLease(subnet: Cidr): Promise<LeaseRecord | null>;
  /**
   * All or nothing, at most 20 items. `conflict`: nothing was written, because a condition failed or another
   * transaction was at the same items (retried a few times inside). Throws when it is not known whether it was
   * written; the caller then reads again before it decides anew.
   */
  commit(transaction: Transaction): Promise<'done' | 'conflict'>;
}

export interface InterfaceFacts {
  readonly eniId: string;
  /** The instance it is attached to (states `attaching` and `attached`), else null. */
  readonly instanceId: string | null;
  /** Device 0 of the first network card; false while unattached. */
  readonly isPrimary: boolean;
  readonly subnetId: string;
  readonly vpcId: string;
  /** The primary private IPv4 address, canonical; null where the interface has IPv6 only. */
  readonly privateIp: string | null;
  /** Of several IPv6 addresses the primary one, else the lowest; canonical. */
  readonly ipv6: string | null;
  readonly sourceDestCheck: boolean;
}

export interface InstanceFacts {
  readonly instanceId: string;
  readonly state: InstanceState;
  /** Null once terminated. */
  readonly vpcId: string | null;
  readonly interfaces: readonly InterfaceFacts[];
}

/** EC2's instances and interfaces. Reads go by filter (`instance-id`, `network-interface-id`), to the last page. */
export interface Instances {
  /** Those of them that EC2 lists. One that is absent is unknown, not dead. No call for an empty list. */
  describe(instanceIds: readonly string[]): Promise<readonly InstanceFacts[]>;
  /** Those of them that EC2 lists. No call for an empty list. */
  describeInterfaces(eniIds: readonly string[]): Promise<readonly InterfaceFacts[]>;
  /** `ModifyNetworkInterfaceAttribute`: the instance call fails with several interfaces. */
  switchOffSourceDestCheck(eniId: string): Promise<void>;
}

/** What the listed route tables say about the VPC (one `DescribeRouteTables`). */
export interface VpcFacts {
  readonly vpcId: string;
  /** Destinations of the `local` routes. */
  readonly vpcCidrs: readonly Cidr[];
  /**
   * Destinations inside the network's ranges whose row in a listed table is foreign: a subnet that equals or contains one
   * would conflict or be shadowed. A prefix list is left out.
   */
  readonly foreign: readonly Cidr[];
  /** Destinations of rows of ours that are active in a listed table. */
  readonly routed: readonly Cidr[];
}

export interface Vpc {
  /**
   * Reads the listed tables (`ROUTE_TABLE_IDS`), whatever the configuration picks of them. `config` says which rows are
   * ours. One that EC2 does not list is passed over. Throws, naming them, when it lists none or they are of several VPCs.
   */
  read(config: NetworkConfig): Promise<VpcFacts>;
}

/** An event of source `leaseway`. */
export interface OutgoingEvent {
  readonly detailType: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface Publisher {
  /**
   * Puts events in tens, sending failed entries again. Gives the indexes of those that were not accepted in the end;
   * throws nothing for them.
   */
  put(events: readonly OutgoingEvent[]): Promise<readonly number[]>;
}

/** The `rejects` queue: what could not be parsed, so that a human can look at it. */
export interface Rejects {
  put(reject: { readonly source: string; readonly reason: string; readonly body: string }): Promise<void>;
}

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}
