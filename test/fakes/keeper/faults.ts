/** Faults and order of the fakes' calls. */

/** The error of a planted fault. */
export class PlantedFault extends Error {}

export interface Fault {
  /** The call that it hits, counted from 0 over all fakes of the session. */
  readonly at: number;
  /** Before its effect, or after it (the write worked, the answer is lost). */
  readonly when: 'before' | 'after';
  /** `kill`: every later call of the session fails too, as if the process were gone. */
  readonly kind: 'error' | 'kill';
}

/**
 * One life of a keeper: what it calls goes through here. Each call takes a few turns of the event loop, a number that
 * depends on the seed, so that sessions that run together meet in another order with each seed.
 */
export class Session {
  calls = 0;
  isDead = false;
  readonly log: string[] = [];
  readonly #fault: Fault | null;
  readonly #random: () => number;

  constructor(fault: Fault | null = null, seed = 1) {
    this.#fault = fault;
    this.#random = randomOf(seed);
  }

  async call<Result>(name: string, effect: () => Result): Promise<Result> {
    const index = this.calls;
    this.calls += 1;
    this.log.push(name);
    await this.#turns();
    const isHit = this.#fault?.at === index;
    if (isHit && this.#fault?.kind === 'kill') this.isDead = true;
    if (this.isDead && !(isHit && this.#fault?.when === 'after')) throw new PlantedFault(`${name}: killed`);
    if (isHit && this.#fault?.when === 'before') throw new PlantedFault(`${name}: fails`);
    const result = effect();
    await this.#turns();
    if (isHit || this.isDead) throw new PlantedFault(`${name}: its answer is lost`);
    return result;
  }

  async #turns(): Promise<void> {
    for (let left = Math.floor(this.#random() * 6); left > 0; left -= 1) await Promise.resolve();
  }
}

/** Mulberry32 (Tommy Ettinger's, public domain): numbers from 0 to 1, the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
