/**
 * Maps from the map table. The head is polled; parts are fetched when the head names one that is not at hand, for they
 * never change. Whatever does not read as a whole, or has another hash than its name, leaves the last map as it is.
 */
import { type MapHead, readHead, readPart } from '../../shared/aws/map-items.ts';
import type { MapLease, NetworkMap } from '../../shared/domain/map.ts';
import { type AgentMap, readMap } from '../../shared/domain/read-map.ts';
import { type Clock, Refusal } from '../../shared/reconcile/ports.ts';
import type { AgentLog, MapListener, MapSource } from '../reconcile/ports.ts';
import { type ClockUntil, ended } from '../stoppable-clock.ts';
import { inTurns } from './in-turns.ts';
import type { MapItems } from './map-items.ts';
import type { MapMemory } from './map-memory.ts';

export interface DynamoMapSourceOptions {
  readonly items: MapItems;
  readonly network: string;
  readonly memory: MapMemory;
  /** Milliseconds between two looks at the head (`--poll`). */
  readonly poll: number;
  /** Whether the node waits for an answer or for its own lease in the map: the head is then read every second. */
  isWaiting(): boolean;
  readonly clockUntil: ClockUntil;
  readonly log: AgentLog;
  readonly random?: () => number;
}

const pollWhileWaiting = 1_000;
/** Polls that may fail before waiting is no reason any more to ask every second. */
const failuresInHaste = 3;
/** Milliseconds between two writings of the map to disk. */
const saveEvery = 10_000;
/** Parts that are fetched at a time: a first map of 4,000 leases has 64 of them. */
const fetchesAtOnce = 8;

export function dynamoMapSource(options: DynamoMapSourceOptions): MapSource {
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  return {
    start: (listener) => {
      const watch = new MapWatch(options, listener, options.clockUntil(stop.signal), stop.signal);
      running = ended(watch.run(), stop.signal);
    },
    close: async () => {
      stop.abort();
      await running;
    },
  };
}

interface Place {
  readonly epoch: number;
  readonly revision: number;
}

class MapWatch {
  readonly #options: DynamoMapSourceOptions;
  readonly #listener: MapListener;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  /** Parts of the last map by name. */
  #parts: ReadonlyMap<string, readonly MapLease[]> = new Map();
  #last: AgentMap | null = null;
  /** The last map, as long as it is not on disk, and when (epoch ms) it may be written there. */
  #unsaved: NetworkMap | null = null;
  #saveAt = 0;
  /** Polls that failed since the last good one. */
  #failures = 0;

  constructor(options: DynamoMapSourceOptions, listener: MapListener, clock: Clock, signal: AbortSignal) {
    this.#options = options;
    this.#listener = listener;
    this.#clock = clock;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    try {
      for (;;) {
        const problem = await this.#poll();
        if (this.#signal.aborted) return;
        if (problem !== null) await this.#failed(problem);
        await this.#keep(false);
        await this.#clock.sleep(this.#pause());
      }
    } finally {
      await this.#keep(true);
    }
  }

  /** Null, or why there is no map to be had. */
  async #poll(): Promise<string | null> {
    try {
      const head = await this.#newHead();
      if (head !== null) await this.#take(head);
      else if (this.#failures > 0 && this.#last !== null) this.#tell(this.#last);
      this.#failures = 0;
      return null;
    } catch (error) {
      return problemText(error);
    }
  }

  /** The head if it replaces the last one; null: it is the same. */
  async #newHead(): Promise<MapHead | null> {
    const quick = await this.#readHead(false);
    if (this.#last === null || !isOlder(quick, this.#last)) return isSame(quick, this.#last) ? null : quick;
    // A read that is not consistent may go back in time; only one that is says that the table did.
    const sure = await this.#readHead(true);
    if (isOlder(sure, this.#last)) {
      throw new Error(
        `the map table shows ${placeText(sure)}, which is older than ${placeText(this.#last)} that is in use`,
      );
    }
    return isSame(sure, this.#last) ? null : sure;
  }

  async #readHead(consistent: boolean): Promise<MapHead> {
    const { items, network } = this.#options;
    const item = await items.get('head', consistent, this.#signal);
    if (item === null) throw new Error(`no map of the network ${network} is published yet`);
    const head = readHead(item);
    if (head.network !== network) throw new Error(`the map is of the network ${head.network}, not of ${network}`);
    return head;
  }

  async #take(head: MapHead): Promise<void> {
    const missing = head.parts.filter((name) => !this.#parts.has(name));
    const fetched = await inTurns(
      missing,
      fetchesAtOnce,
      async (name): Promise<[string, readonly MapLease[]]> => [
        name,
        readPart(name, await this.#options.items.get(name, true, this.#signal)),
      ],
    );
    const parts = new Map([...this.#parts, ...fetched]);
    const { schema, epoch, revision, network, config, tables } = head;
    const leases = head.parts.flatMap((name) => parts.get(name) ?? []);
    const map: NetworkMap = { schema, epoch, revision, network, config, tables, leases };
    const read = readMap(map);
    this.#parts = new Map(head.parts.flatMap((name) => (parts.has(name) ? [[name, parts.get(name) ?? []]] : [])));
    this.#tell(read);
    this.#unsaved = map;
  }

  /** Keeps the map on disk; a map of thousands of leases that changes with every poll is not written each time. */
  async #keep(isLast: boolean): Promise<void> {
    const map = this.#unsaved;
    if (map === null || !(isLast || this.#clock.now() >= this.#saveAt)) return;
    this.#unsaved = null;
    this.#saveAt = this.#clock.now() + saveEvery;
    try {
      await this.#options.memory.save(map);
    } catch (error) {
      this.#options.log.warn(
        `the map cannot be kept on disk: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  #tell(map: AgentMap): void {
    this.#last = map;
    if (!this.#signal.aborted) this.#listener.map(map);
  }

  async #failed(problem: string): Promise<void> {
    this.#failures += 1;
    // The first map of this life: the one of the life before, if it may be believed.
    if (this.#last === null && this.#failures === 1) await this.#recall();
    if (!this.#signal.aborted) this.#listener.unreadable(problem);
  }

  async #recall(): Promise<void> {
    const { memory, log } = this.#options;
    const recalled = await memory.recall();
    try {
      if ('problem' in recalled) return log.info(`no map of an earlier life is used: ${recalled.problem}`);
      const map = readMap(recalled.map);
      log.warn(`goes on with the last map on disk, ${placeText(map)}`);
      this.#tell(map);
    } catch (error) {
      log.warn(`the last map on disk is none: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #pause(): number {
    const random = (this.#options.random ?? Math.random)();
    const inHaste = this.#options.isWaiting() && this.#failures <= failuresInHaste;
    const poll = inHaste ? Math.min(pollWhileWaiting, this.#options.poll) : this.#options.poll;
    // Nodes that started together do not go on asking together.
    return poll * (0.8 + random * 0.4);
  }
}

/** DynamoDB's own words (`socket hang up`) say nothing of what was asked. */
function problemText(error: unknown): string {
  if (error instanceof Refusal) return `the map table cannot be read: ${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

function isSame(a: Place, b: Place | null): boolean {
  return b !== null && a.epoch === b.epoch && a.revision === b.revision;
}

function isOlder(a: Place, b: Place): boolean {
  return a.epoch === b.epoch ? a.revision < b.revision : a.epoch < b.epoch;
}

function placeText({ epoch, revision }: Place): string {
  return `revision ${revision} of epoch ${epoch}`;
}
