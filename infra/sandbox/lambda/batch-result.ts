import { isRecord, text } from '../params.ts';
import type { Outcome } from './function-process.ts';

/** What a function said about a batch: all of it done, none of it, or which items failed. */
export type BatchResult = 'done' | 'failed' | ReadonlySet<string>;

/**
 * Reads `{ batchItemFailures: [{ itemIdentifier }] }` where the mapping asks for it. As Lambda reads it: no list or an
 * empty one is success; an identifier that is missing, empty or of no record of the batch fails the whole batch.
 */
export function batchResult(
  outcome: Outcome,
  reportsItemFailures: boolean,
  identifiers: readonly string[],
): BatchResult {
  if (outcome.functionError) return 'failed';
  if (!reportsItemFailures) return 'done';
  const answer: unknown = JSON.parse(outcome.payload);
  const failures = isRecord(answer) ? answer['batchItemFailures'] : undefined;
  if (failures === undefined || failures === null) return 'done';
  if (!Array.isArray(failures)) return 'failed';
  const failed = failures.map((failure) => (isRecord(failure) ? text(failure, 'itemIdentifier') : undefined));
  if (failed.length === 0) return 'done';
  const known = failed.filter((one) => one !== undefined && identifiers.includes(one));
  return known.length === failed.length ? new Set(known.map(String)) : 'failed';
}
