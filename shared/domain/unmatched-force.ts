/** A force whose digest fits nothing: said, so that nobody takes what happened for what he meant. */

export interface Unmatched {
  /** The option or field that gave it, such as `--force`. */
  readonly option: string;
  readonly force: string;
  /** Of what is held back now; null: nothing is. */
  readonly digest: string | null;
}

export function unmatchedForce({ option, force, digest }: Unmatched): string {
  const problem =
    digest === null ? 'nothing is held back under this digest' : `what is held back now has the digest ${digest}`;
  return `${option} ${force}: ${problem}: nothing was let through`;
}
