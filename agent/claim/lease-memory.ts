/**
 * What the agent remembers of its own lease from one life to the next: `lease.json` in the state directory.
 *
 * The subnet is asked for again, because running containers have its addresses. The expiry and the boot say whether a map
 * on disk may still be believed (`../watch/map-memory.ts`).
 */
import { join } from 'node:path';
import * as v from 'valibot';
import type { Cidr } from '../../shared/domain/cidr.ts';
import { cidrText, epochSeconds, parseWith } from '../../shared/domain/parse-with.ts';
import { writeDurably } from '../durable-file.ts';
import { readIfThere } from '../linux/atomic-file.ts';

export interface RememberedLease {
  readonly instanceArn: string;
  readonly subnet: Cidr;
  readonly ipv6Subnet: Cidr | null;
  /** Epoch seconds, by the keeper's clock. */
  readonly expiresAt: number;
  /** The boot in which it was granted or renewed last; null: not known. */
  readonly bootId: string | null;
  /** Subnets that it had before, of which an interface here still had an address when last seen. */
  readonly lost: readonly Cidr[];
}

export interface LeaseMemory {
  /** Null: there is none. @throws InvalidInput, or the file system's error */
  read(): Promise<RememberedLease | null>;
  write(lease: RememberedLease): Promise<void>;
}

const schema = v.object({
  instanceArn: v.string('is not text'),
  subnet: cidrText(),
  ipv6Subnet: v.nullable(cidrText('ipv6')),
  expiresAt: epochSeconds,
  bootId: v.nullable(v.string('is not text')),
  lost: v.array(cidrText(), 'is not a list'),
});

export function leaseMemory(stateDir: string): LeaseMemory {
  const path = join(stateDir, 'lease.json');
  return {
    read: async () => {
      const text = await readIfThere(path);
      return text === null ? null : parseWith(schema, parsed(text), path);
    },
    write: (lease) => {
      const { subnet, ipv6Subnet, lost } = lease;
      const plain = {
        ...lease,
        subnet: subnet.text,
        ipv6Subnet: ipv6Subnet?.text ?? null,
        lost: lost.map((cidr) => cidr.text),
      };
      return writeDurably(path, `${JSON.stringify(plain, null, 2)}\n`);
    },
  };
}

/** What is no JSON fails the schema, by the file's name. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
