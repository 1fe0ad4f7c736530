/** What a function answers to a stream mapping with `ReportBatchItemFailures`. */
export interface BatchAnswer {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/**
 * The mapping takes the lowest sequence number as its checkpoint and delivers everything from it on again, so the first
 * failure says all. None: the batch is done.
 */
export function batchAnswer(firstFailed: string | null): BatchAnswer {
  return { batchItemFailures: firstFailed === null ? [] : [{ itemIdentifier: firstFailed }] };
}
