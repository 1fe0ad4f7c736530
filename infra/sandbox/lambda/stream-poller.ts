import type { Activity } from '../activity.ts';
import type { DynamoDbStreams } from '../dynamodb/streams.ts';
import { compileFilters, type Matcher } from '../events/pattern.ts';
import { processBatch, type StreamBatchOptions } from './stream-batches.ts';

export interface StreamPollerOptions extends Omit<StreamBatchOptions, 'isStopped'> {
  readonly streams: DynamoDbStreams;
  readonly tableName: string;
  readonly activity: Activity;
}

/**
 * Feeds a function from a table's stream: each shard for itself, in order, one batch at a time. Records that no filter
 * matches are passed over.
 */
export class StreamPoller {
  readonly #options: StreamPollerOptions;
  readonly #matches: Matcher;
  readonly #positions = new Map<string, number>();
  readonly #busy = new Set<string>();
  readonly #cancel: () => void;
  #stopped = false;

  constructor(options: StreamPollerOptions) {
    const { mapping, streams, tableName, activity } = options;
    this.#options = options;
    this.#matches = compileFilters(mapping.filters, mapping.logicalId);
    for (const shard of streams.shards(tableName)) {
      this.#positions.set(shard, mapping.fromStart ? 0 : streams.latest(tableName, shard));
    }
    activity.watch(() => {
      const unread = [...this.#positions].some(([shard, position]) => position < streams.latest(tableName, shard));
      return unread && !this.#stopped ? `records in the stream of ${tableName}` : undefined;
    });
    this.#cancel = streams.onRecord((table, shard) => {
      if (table === tableName) this.#wake(shard);
    });
    for (const shard of this.#positions.keys()) this.#wake(shard);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #wake(shard: string): void {
    if (this.#busy.has(shard) || this.#stopped) return;
    this.#busy.add(shard);
    const end = this.#options.activity.begin(`stream mapping ${this.#options.mapping.logicalId}`);
    // After this turn, so that records written together are read together.
    setImmediate(() => {
      void this.#drain(shard).finally(() => {
        this.#busy.delete(shard);
        end();
      });
    });
  }

  async #drain(shard: string): Promise<void> {
    const { streams, tableName, mapping } = this.#options;
    const options = { ...this.#options, isStopped: () => this.#stopped };
    while (!this.#stopped) {
      const { records, nextPosition } = streams.read(
        tableName,
        shard,
        this.#positions.get(shard) ?? 0,
        mapping.batchSize,
      );
      if (records.length === 0) return;
      const wanted = records.filter((record) => this.#matches(record));
      if (wanted.length > 0) await processBatch(shard, wanted, options);
      this.#positions.set(shard, nextPosition);
    }
  }
}
