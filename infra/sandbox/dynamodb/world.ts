import type { SandboxClock } from '../service.ts';
import type { Engine } from './engine.ts';
import type { DynamoDbStreams } from './streams.ts';
import type { Tables } from './tables.ts';

/** What every action works on. */
export interface World {
  readonly engine: Engine;
  readonly tables: Tables;
  readonly streams: DynamoDbStreams;
  readonly clock: SandboxClock;
}
