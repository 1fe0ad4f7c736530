/**
 * The one difference for every kind of table: VPC routes, kernel routes, neighbours and FDB entries.
 *
 * desired rows + actual rows -> a plan, a value that can be printed, guarded and then carried out.
 *
 *   desired | actual      | step
 *   --------|-------------|------------------------------------------------------------
 *   row     | none        | create
 *   row     | ours, same  | kept
 *   row     | ours, other | replace (one call, never delete and create)
 *   row     | foreign     | conflict: reported, never stolen
 *   none    | ours        | delete
 *   none    | foreign     | nothing
 */

export type Reason = 'missing' | 'changed' | 'blackhole' | 'orphan' | 'released' | 'withdrawn' | 'overflow' | 'expired';

/** Weak evidence may be a hole in what was read; strong evidence is a fact about the row's holder. */
export type Evidence = 'strong' | 'weak';

interface CreateStep<Row> {
  readonly action: 'create';
  readonly row: Row;
  readonly reason: Reason;
}

interface ReplaceStep<Row> {
  readonly action: 'replace';
  readonly from: Row;
  readonly to: Row;
  readonly reason: Reason;
}

export interface DeleteStep<Row> {
  readonly action: 'delete';
  readonly row: Row;
  readonly reason: Reason;
  readonly evidence: Evidence;
}

export type Step<Row> = CreateStep<Row> | ReplaceStep<Row> | DeleteStep<Row>;

/** A wanted row whose key a foreign row holds. */
export interface Conflict<Row> {
  readonly wanted: Row;
  readonly holder: Row;
}

export interface Plan<Row> {
  /** Repairs first, then what is missing, then garbage; each in the order of the kind. */
  readonly steps: readonly Step<Row>[];
  readonly kept: readonly Row[];
  readonly conflicts: readonly Conflict<Row>[];
}

/** What a kind of table knows about its rows. */
export interface RowKind<Row> {
  /** What the table looks a row up by. */
  key(row: Row): string;
  /** Whether the actual row forwards as the desired one asks: every field that forwards packets, not the key alone. */
  same(actual: Row, desired: Row): boolean;
  isOurs(row: Row): boolean;
  describe(row: Row): string;
  compare(a: Row, b: Row): number;
  whyReplace(from: Row, to: Row): Reason;
  whyDelete(row: Row): { readonly reason: Reason; readonly evidence: Evidence };
}

export function stepRow<Row>(step: Step<Row>): Row {
  return step.action === 'replace' ? step.to : step.row;
}

/** The same world gives the same plan, whatever the order in which its rows were read. */
export function plan<Row>(desired: readonly Row[], actual: readonly Row[], kind: RowKind<Row>): Plan<Row> {
  const wantedByKey = new Map(desired.map((row) => [kind.key(row), row]));
  const repairs: ReplaceStep<Row>[] = [];
  const garbage: DeleteStep<Row>[] = [];
  const kept: Row[] = [];
  const conflicts: Conflict<Row>[] = [];
  const met = new Set<string>();

  // Of two rows of one key ours comes first: a propagated route may repeat a destination, and EC2 prefers the created one.
  const rank = (row: Row): number => (kind.isOurs(row) ? 0 : 1);
  const inOrder = (a: Row, b: Row): number =>
    kind.compare(a, b) || rank(a) - rank(b) || compareText(kind.describe(a), kind.describe(b));
  for (const row of [...actual].sort(inOrder)) {
    const key = kind.key(row);
    const wanted = wantedByKey.get(key);
    if (wanted === undefined) {
      if (kind.isOurs(row)) garbage.push({ action: 'delete', row, ...kind.whyDelete(row) });
      continue;
    }
    // A second row of one key is left for the next reading: tables with one row a key have none, and deleting by key
    // would take the wanted row with it.
    if (met.has(key)) continue;
    met.add(key);
    if (!kind.isOurs(row)) conflicts.push({ wanted, holder: row });
    else if (kind.same(row, wanted)) kept.push(row);
    else repairs.push({ action: 'replace', from: row, to: wanted, reason: kind.whyReplace(row, wanted) });
  }

  const missing = [...wantedByKey.entries()]
    .filter(([key]) => !met.has(key))
    .map(([, row]) => row)
    .sort(kind.compare)
    .map((row): CreateStep<Row> => ({ action: 'create', row, reason: 'missing' }));

  return { steps: [...repairs, ...missing, ...garbage], kept, conflicts };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
