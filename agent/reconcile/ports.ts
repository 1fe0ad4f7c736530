/**
 * What the node's loop needs from the rest of the agent. The loop does not know whether maps come from DynamoDB or from a
 * file, nor who asks for its status.
 */
import type { AgentMap } from '../../shared/domain/read-map.ts';
import type { AgentStatus } from './status.ts';

/** Hears of maps. Both methods return at once and throw nothing. */
export interface MapListener {
  /** A map that replaces the last one: a higher revision, a newer epoch, or other content of a file. */
  map(map: AgentMap): void;
  /** A reading that failed, and why. The last map stays. Called for every failure, also for repeated ones. */
  unreadable(problem: string): void;
}

/** Where maps come from: `agent/watch/`. Reads, retries and remembers on its own. */
export interface MapSource {
  /** Begins to read; the first result, good or bad, reaches the listener without further asking. */
  start(listener: MapListener): void;
  /** Ends all reading; after it has resolved the listener is not called again. */
  close(): Promise<void>;
}

/** Where the outcome of every pass goes: `agent/serve/`. */
export interface StatusSink {
  /** Called after each pass; an error of the sink is its own business and never the loop's. */
  publish(status: AgentStatus): Promise<void>;
}

export interface AgentLog {
  info(message: string): void;
  warn(message: string): void;
}
