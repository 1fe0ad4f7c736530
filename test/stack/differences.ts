/** What third parties answer otherwise than we do; `docs/third-parties.md` is this list in words. */
import { readFileSync } from 'node:fs';

export interface Difference {
  /** Where `docs/third-parties.md` has it. */
  readonly id: string;
  readonly party: 'ministack' | 'moto' | 'awscli' | 'osls';
  readonly suite: string;
  /** Title of the case that shows it; null: it is why something is not shown there at all. */
  readonly case: string | null;
  readonly they: string;
  readonly we: string;
  readonly right: 'we' | 'they' | 'both' | 'open';
  readonly why: string;
}

export const differences: readonly Difference[] = JSON.parse(
  readFileSync(new URL('differences.json', import.meta.url), 'utf8'),
);

/** What a contract is told of a party: title of the case to what the party does. */
export function differencesOf(party: Difference['party'], suite: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    differences
      .filter((each) => each.party === party && each.suite === suite)
      .flatMap((each) => (each.case === null ? [] : [[each.case, each.they] as const])),
  );
}
