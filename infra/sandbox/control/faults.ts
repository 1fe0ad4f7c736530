import { isRecord, type Params } from '../params.ts';
import type { ApiRequest } from '../service.ts';
import type { Fault } from './fault.ts';
import { Pages } from './pages.ts';

interface Planted {
  readonly fault: Fault;
  toSkip: number;
  /** Infinity: until cleared. */
  left: number;
}

/** The faults that were asked for and have not befallen all their calls yet. */
export class Faults {
  readonly pages = new Pages();
  #planted: Planted[] = [];

  add(fault: Fault): void {
    const left = fault.times === 'always' || fault.times === 0 ? Number.POSITIVE_INFINITY : fault.times;
    this.#planted.push({ fault, toSkip: fault.skip, left });
  }

  clear(): void {
    this.#planted = [];
  }

  list(): readonly Params[] {
    return this.#planted.map(({ fault, left, toSkip }) => ({
      ...fault,
      skip: toSkip,
      times: left === Number.POSITIVE_INFINITY ? 'always' : left,
    }));
  }

  /** The fault that befalls this call, if any; of several the oldest. `names`: what the caller goes by. */
  take(request: Pick<ApiRequest, 'service' | 'action' | 'params'>, names: readonly string[]): Fault | undefined {
    for (const planted of this.#planted) {
      if (!this.#concerns(planted.fault, request, names)) continue;
      if (planted.toSkip > 0) {
        planted.toSkip--;
        continue;
      }
      planted.left--;
      if (planted.left <= 0) this.#planted = this.#planted.filter((one) => one !== planted);
      return planted.fault;
    }
    return undefined;
  }

  #concerns(
    fault: Fault,
    request: Pick<ApiRequest, 'service' | 'action' | 'params'>,
    names: readonly string[],
  ): boolean {
    return (
      fault.service === request.service &&
      (fault.action === undefined || fault.action === request.action) &&
      (fault.caller === undefined || names.includes(fault.caller)) &&
      (fault.page === undefined || fault.page === this.pages.pageOf(request)) &&
      matches(fault.match ?? {}, request.params)
    );
  }
}

/** Whether `wanted` is a part of `actual`; a value also matches a list that contains it, a list each of its members. */
function matches(wanted: unknown, actual: unknown): boolean {
  if (Array.isArray(wanted)) return wanted.every((one) => matches(one, actual));
  if (Array.isArray(actual)) return actual.some((one) => matches(wanted, one));
  if (isRecord(wanted)) {
    return isRecord(actual) && Object.entries(wanted).every(([key, value]) => matches(value, actual[key]));
  }
  // Query protocols spell everything as text.
  return actual !== undefined && String(wanted) === String(actual);
}
