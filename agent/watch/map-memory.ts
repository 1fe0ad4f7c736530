/**
 * The last good map on disk: `map.json` in the state directory, in the form of a map file, so that `--map` reads it too.
 *
 * It is for a node whose DynamoDB is away. Within one boot it is as good as the running kernel's own rows. After a reboot
 * it counts only while the node's own lease, remembered beside it, has not expired: past that the subnet may be another's.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NetworkMap } from '../../shared/domain/map.ts';
import type { LeaseMemory } from '../claim/lease-memory.ts';
import { writeDurably } from '../durable-file.ts';

export interface MapMemory {
  /** What was saved, unread, or why there is nothing that may be used. */
  recall(): Promise<{ readonly map: unknown } | { readonly problem: string }>;
  save(map: NetworkMap): Promise<void>;
}

export interface MapMemoryOptions {
  readonly stateDir: string;
  readonly network: string;
  readonly lease: LeaseMemory;
  /** The present boot; null: not known, which is taken for another one. */
  readonly bootId: string | null;
  /** Whose lease it must be. */
  readonly instanceArn: string;
  /** Epoch milliseconds. */
  now(): number;
}

export function mapMemory(options: MapMemoryOptions): MapMemory {
  const path = join(options.stateDir, 'map.json');
  return {
    recall: async () => {
      try {
        const problem = await whyNot(options);
        if (problem !== null) return { problem };
        const map: unknown = JSON.parse(await readFile(path, 'utf8'));
        const { network } = map as { network?: unknown };
        return network === options.network ? { map } : { problem: `${path} is of another network` };
      } catch (error) {
        return { problem: `the last map cannot be read: ${error instanceof Error ? error.message : String(error)}` };
      }
    },
    save: (map) => writeDurably(path, JSON.stringify(map)),
  };
}

async function whyNot({ lease, bootId, instanceArn, now }: MapMemoryOptions): Promise<string | null> {
  const own = await lease.read();
  if (own === null || own.instanceArn !== instanceArn) return 'no lease of this instance is remembered';
  if (bootId !== null && own.bootId === bootId) return null;
  if (own.expiresAt * 1000 > now()) return null;
  const since = new Date(own.expiresAt * 1000).toISOString();
  return `the machine was restarted, and the own lease ${own.subnet.text} expired at ${since}`;
}
