/**
 * The map as items: one `head`, and parts that hold the leases.
 *
 * A part is named by the SHA-256 of its JSON and never changes, so a reader that has it need not ask again, and one that
 * reads another text under the name knows that it does not know. Nodes read these items too.
 */
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as v from 'valibot';
import { compareCidrs, parseCidr } from '../domain/cidr.ts';
import { digestOf } from '../domain/digest.ts';
import { InvalidInput } from '../domain/invalid-input.ts';
import { type MapContent, type MapLease, type MapTable, mapSchema, type NetworkMap } from '../domain/map.ts';
import { parseWith } from '../domain/parse-with.ts';
import { partPrefix } from './keys.ts';
import type { Item } from './table.ts';

/** Leases of a part, about: a change of one lease makes a node read this many again. */
const leasesPerPart = 100;

/** DynamoDB takes 400 KB; the keys and names around a value are part of that. */
const mostItemBytes = 390_000;

export interface MapPart {
  readonly name: string;
  /** Gzipped JSON. */
  readonly data: Uint8Array;
}

export interface MapHead {
  readonly schema: number;
  readonly epoch: number;
  readonly revision: number;
  readonly network: string;
  readonly config: unknown;
  readonly tables: readonly MapTable[];
  /** Names of all parts, sorted. */
  readonly parts: readonly string[];
  /** Parts of the head before this one that are in this one no more: they go with the next publishing. */
  readonly outgoing: readonly string[];
}

/**
 * Spreads leases over parts by a hash of the subnet, so that a lease stays in its part whatever others come and go. The
 * number of parts is a power of two: growing splits each in two and moves nothing else.
 */
export function partsOf(leases: readonly MapLease[]): MapPart[] {
  let count = 1;
  while (leases.length > count * leasesPerPart) count *= 2;
  const buckets = Array.from({ length: count }, (): MapLease[] => []);
  for (const lease of inOrder(leases))
    buckets[Number.parseInt(digestOf(lease.subnet).slice(0, 8), 16) % count]?.push(lease);
  return buckets.filter((bucket) => bucket.length > 0).map(partOf);
}

function partOf(leases: readonly MapLease[]): MapPart {
  const json = JSON.stringify(leases);
  return { name: `${partPrefix}${sha256(json)}`, data: gzipSync(json) };
}

/** @throws InvalidInput when it is not what its name says */
export function readPart(name: string, item: Item | null): MapLease[] {
  const data = item?.['data'];
  if (!(data instanceof Uint8Array)) throw new InvalidInput(`map.${name}`, undefined, 'is missing');
  let json: string;
  try {
    json = gunzipSync(data).toString();
  } catch (cause) {
    throw new InvalidInput(`map.${name}`, undefined, 'cannot be unpacked', { cause });
  }
  if (`${partPrefix}${sha256(json)}` !== name) throw new InvalidInput(`map.${name}`, undefined, 'has another hash');
  // What has the hash is what a sync wrote.
  return JSON.parse(json) as MapLease[];
}

export function mapOf(head: MapHead, parts: readonly (readonly MapLease[])[]): NetworkMap {
  const { schema, epoch, revision, network, config, tables } = head;
  return { schema, epoch, revision, network, config, tables, leases: inOrder(parts.flat()) };
}

/** The attributes of a head, without its keys. The configuration is JSON text: it comes back as it was. */
export function headItem(head: MapHead): Record<string, unknown> {
  return { ...head, config: JSON.stringify(head.config) };
}

const count = v.pipe(v.number('is not a number'), v.integer('is not whole'), v.minValue(0, 'is negative'));
const texts = v.array(v.string('is not text'), 'is not a list');
const headSchema = v.object({
  schema: v.literal(mapSchema, `is another schema than ${mapSchema}`),
  epoch: count,
  revision: count,
  network: v.string('is not text'),
  config: v.pipe(v.string('is not text'), v.parseJson(undefined, 'is not JSON')),
  tables: v.array(v.object({ id: v.string('is not text'), subnets: texts, filling: v.boolean('is not a boolean') })),
  parts: texts,
  outgoing: texts,
});

/** @throws InvalidInput that names the field */
export function readHead(item: Item): MapHead {
  return parseWith(headSchema, item, 'map.head');
}

/** @throws InvalidInput when something is too large for an item, before anything is written */
export function checkSizes(content: MapContent, head: Record<string, unknown>, parts: readonly MapPart[]): void {
  const bytes = Buffer.byteLength(JSON.stringify(head));
  if (bytes > mostItemBytes) {
    throw new InvalidInput('map.head', undefined, `of ${content.network} is too large for an item: ${bytes} bytes`);
  }
  const part = parts.find(({ data }) => data.byteLength > mostItemBytes);
  if (part !== undefined) {
    throw new InvalidInput(`map.${part.name}`, undefined, `is too large for an item: ${part.data.byteLength} bytes`);
  }
}

function inOrder(leases: readonly MapLease[]): MapLease[] {
  return leases
    .map((lease) => ({ lease, subnet: parseCidr(lease.subnet, 'map.leases.subnet') }))
    .sort((a, b) => compareCidrs(a.subnet, b.subnet))
    .map(({ lease }) => lease);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
