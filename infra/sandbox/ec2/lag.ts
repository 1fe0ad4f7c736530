/**
 * Eventual consistency on demand: reads that show a resource as it was before the last write to it.
 *
 * Source: the EC2 API reference on eventual consistency ("the result of a command might not be immediately visible").
 */

/** A resource as Describe prints it. */
export type View = Readonly<Record<string, unknown>>;

export interface LagRequest {
  /** A Describe action; without it, the one that the resource belongs to. */
  readonly action?: string;
  /** Names the resource: `RouteTableId`, `NetworkInterfaceId` or `InstanceId`. */
  readonly match: Readonly<Record<string, string>>;
  /** How many reads are late. */
  readonly reads: number;
  /** New, old, new instead of old, new: what a reader sees that meets an up-to-date replica first. */
  readonly backwards?: boolean;
}

interface Lag {
  readonly action: string;
  readonly match: Readonly<Record<string, string>>;
  readonly id: string;
  readonly reads: ('old' | 'new')[];
}

const actionOf: Readonly<Record<string, string>> = {
  RouteTableId: 'DescribeRouteTables',
  NetworkInterfaceId: 'DescribeNetworkInterfaces',
  InstanceId: 'DescribeInstances',
};

export interface Item {
  readonly id: string;
  readonly view: View;
}

/** An item as this read shows it: `view` is undefined where the resource is not visible (yet, or any more). */
export interface Shown {
  readonly id: string;
  readonly view: View | undefined;
  /** As it really is. */
  readonly current: View | undefined;
  readonly spend?: () => void;
}

export class Lags {
  #lags: Lag[] = [];
  readonly #previous: ReadonlyMap<string, View | undefined>;

  /** @param previous what each resource looked like before the last write, for those that were written */
  constructor(previous: ReadonlyMap<string, View | undefined>) {
    this.#previous = previous;
  }

  add({ action, match, reads, backwards = false }: LagRequest): void {
    const [key, id] = Object.entries(match)[0] ?? [];
    const natural = key === undefined ? undefined : actionOf[key];
    if (id === undefined || natural === undefined) {
      throw new Error(`a lag must match one of ${Object.keys(actionOf).join(', ')}`);
    }
    const late: ('old' | 'new')[] = Array.from({ length: reads }, () => 'old');
    this.#lags.push({ action: action ?? natural, match, id, reads: backwards ? ['new', ...late] : late });
  }

  /** Those that still have reads to befall, as they would be asked for now. */
  list(): readonly Required<LagRequest>[] {
    return this.#lags.map(({ action, match, reads }) => ({
      action,
      match,
      reads: reads.filter((read) => read === 'old').length,
      backwards: reads[0] === 'new',
    }));
  }

  clear(): void {
    this.#lags = [];
  }

  /** How a read by this action sees the items. Nothing is spent before the read says that it met the resource. */
  show(action: string, items: readonly Item[]): readonly Shown[] {
    const lags = this.#lags.filter((lag) => lag.action === action);
    const shown = items.map(({ id, view }) => this.#one(id, view, lags));
    const deleted = lags.filter(({ id }) => !items.some((item) => item.id === id) && this.#previous.has(id));
    return [...shown, ...deleted.map(({ id }) => this.#one(id, undefined, lags))];
  }

  #one(id: string, current: View | undefined, lags: readonly Lag[]): Shown {
    const lag = lags.find((candidate) => candidate.id === id);
    if (lag === undefined) return { id, view: current, current };
    const late = lag.reads[0] === 'old' && this.#previous.has(id);
    const spend = () => {
      lag.reads.shift();
      if (lag.reads.length === 0) this.#lags = this.#lags.filter((other) => other !== lag);
    };
    return { id, view: late ? this.#previous.get(id) : current, current, spend };
  }
}
