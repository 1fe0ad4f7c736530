/** Faults of the fakes: which call fails, how, and whether it had its effect. */
import { type Meaning, Refusal } from '../../../shared/reconcile/ports.ts';

export interface Fault {
  readonly action: string;
  /** Only calls about this resource (a table's id); absent: all. */
  readonly resource?: string;
  readonly meaning: Meaning;
  /** EC2's code; the usual one of the meaning unless given. */
  readonly code?: string;
  /** Matching calls that pass before the first that fails; 0 unless given. */
  readonly after?: number;
  /** How many fail; 1 unless given. */
  readonly times?: number;
  /** `after`: the write worked, its answer is lost. */
  readonly when?: 'before' | 'after';
}

const codes: Readonly<Record<Meaning, string>> = {
  exists: 'RouteAlreadyExists',
  'no-route': 'InvalidRoute.NotFound',
  'no-table': 'InvalidRouteTableID.NotFound',
  full: 'RouteLimitExceeded',
  denied: 'UnauthorizedOperation',
  throttled: 'RequestLimitExceeded',
  transient: 'InternalError',
  'no-target': 'InvalidNetworkInterfaceID.NotFound',
  invalid: 'InvalidParameterValue',
};

export function refuse(meaning: Meaning, action: string, message: string, code = codes[meaning]): Refusal {
  return new Refusal(meaning, action, code, message);
}

export class Faults {
  #faults: { readonly fault: Fault; seen: number }[] = [];

  add(...faults: readonly Fault[]): void {
    this.#faults.push(...faults.map((fault) => ({ fault, seen: 0 })));
  }

  clear(): void {
    this.#faults = [];
  }

  /** Runs one call of a fake under the faults. The first fault that is due decides. */
  async run<Result>(action: string, resource: string, effect: () => Result): Promise<Result> {
    // A real call takes at least a turn of the event loop: callers must not rely on less.
    await Promise.resolve();
    const due = this.#take(action, resource);
    const error = due && refuse(due.meaning, action, `planted for ${resource}`, due.code);
    if (error !== undefined && due?.when !== 'after') throw error;
    const result = effect();
    if (error !== undefined) throw error;
    return result;
  }

  #take(action: string, resource: string): Fault | undefined {
    let due: Fault | undefined;
    for (const entry of this.#faults) {
      const { fault } = entry;
      if (fault.action !== action || (fault.resource !== undefined && fault.resource !== resource)) continue;
      entry.seen += 1;
      const nth = entry.seen - (fault.after ?? 0);
      if (nth >= 1 && nth <= (fault.times ?? 1)) due ??= fault;
    }
    return due;
  }
}
