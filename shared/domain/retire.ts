/** Giving up ranges and tables in the JSON of a network configuration, which keeps its author's spelling and order. */
import type { Cidr } from './cidr.ts';

export interface Retirement {
  readonly network: Cidr | null;
  readonly subnetLen: number | null;
  /** In lower case. */
  readonly routeTableIds: readonly string[];
}

type Fields = Record<string, unknown>;

/** Adds the entry to `Leaseway.Retired`, and takes tables that are given up whole out of the backend's list. */
export function withRetired(netConf: unknown, entry: Retirement): Fields {
  const root = fieldsOf(netConf);
  const leaseway = fieldsOf(valueAt(root, 'Leaseway'));
  const retired = [...listOf(valueAt(leaseway, 'Retired')), entryOf(entry)];
  const listed = put(root, 'Leaseway', put(leaseway, 'Retired', retired));
  if (entry.network !== null) return listed;
  const backend = fieldsOf(valueAt(root, 'Backend'));
  const tables = listOf(valueAt(backend, 'RouteTableID')).filter(
    (id) => !entry.routeTableIds.includes(String(id).toLowerCase()),
  );
  return put(listed, 'Backend', put(backend, 'RouteTableID', tables));
}

/** Takes the entry out of `Leaseway.Retired`, once what it names is empty; null if it is not there. */
export function withoutRetired(netConf: unknown, entry: Retirement): Fields | null {
  const root = fieldsOf(netConf);
  const leaseway = fieldsOf(valueAt(root, 'Leaseway'));
  const retired = listOf(valueAt(leaseway, 'Retired'));
  const left = retired.filter((other) => textOf(other) !== textOf(entryOf(entry)));
  return left.length === retired.length ? null : put(root, 'Leaseway', put(leaseway, 'Retired', left));
}

function entryOf({ network, subnetLen, routeTableIds }: Retirement): Fields {
  return {
    ...(network === null ? {} : { Network: network.text, SubnetLen: subnetLen }),
    ...(routeTableIds.length === 0 ? {} : { RouteTableID: [...routeTableIds] }),
  };
}

/** Entries are the same whatever the case and order of their keys. */
function textOf(entry: unknown): string {
  const fields = Object.entries(fieldsOf(entry)).map(([key, value]): [string, unknown] => [
    key.toLowerCase(),
    key.toLowerCase() === 'routetableid'
      ? listOf(value)
          .map((id) => String(id).toLowerCase())
          .sort()
      : value,
  ]);
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function valueAt(fields: Fields, key: string): unknown {
  return fields[spelling(fields, key)];
}

function put(fields: Fields, key: string, value: unknown): Fields {
  return { ...fields, [spelling(fields, key)]: value };
}

function spelling(fields: Fields, key: string): string {
  return Object.keys(fields).find((known) => known.toLowerCase() === key.toLowerCase()) ?? key;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function listOf(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}
