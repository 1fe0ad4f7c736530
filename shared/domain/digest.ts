/**
 * A short, stable name for a text: FNV-1a, 64 bits, as 16 hexadecimal digits (Fowler, Noll and Vo; draft-eastlake-fnv).
 *
 * It tells one set of held deletions from another and spreads leases over parts. It is no defence against somebody who
 * looks for a collision; where that matters the adapters use SHA-256.
 */
const offsetBasis = 0xcbf29ce484222325n;
const prime = 0x100000001b3n;

export function digestOf(text: string): string {
  let hash = offsetBasis;
  for (const byte of utf8(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * prime);
  return hash.toString(16).padStart(16, '0');
}

/** The pure rooms have no TextEncoder; encodeURIComponent is ECMAScript's own way to UTF-8. */
function* utf8(text: string): Generator<number> {
  const encoded = encodeURIComponent(text);
  for (let at = 0; at < encoded.length; at += 1) {
    if (encoded[at] === '%') {
      yield Number.parseInt(encoded.slice(at + 1, at + 3), 16);
      at += 2;
    } else {
      yield encoded.charCodeAt(at);
    }
  }
}
