/** What an invocation with `LogType: Tail` shows of its log: the last 4 KB, in base64. */
const most = 4096;

export interface Logged {
  readonly requestId: string;
  readonly log: readonly string[];
  readonly durationMs: number;
  readonly memoryMegabytes: number;
}

export function logTail({ requestId, log, durationMs, memoryMegabytes }: Logged): string {
  const id = `RequestId: ${requestId}`;
  const billed = Math.ceil(durationMs);
  const report = `REPORT ${id}\tDuration: ${durationMs.toFixed(2)} ms\tBilled Duration: ${billed} ms\tMemory Size: ${memoryMegabytes} MB\t`;
  const lines = [`START ${id} Version: $LATEST`, ...log, `END ${id}`, report];
  return Buffer.from(`${lines.join('\n')}\n`)
    .subarray(-most)
    .toString('base64');
}
