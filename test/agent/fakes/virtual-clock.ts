/** Time that moves only when a test says so, for loops that sleep. Between two steps every loop does its real work. */
import { setImmediate } from 'node:timers/promises';
import type { ClockUntil } from '../../../agent/stoppable-clock.ts';

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/** Milliseconds of real time in which a loop must be asleep again; only a loop that hangs takes them. */
const patience = 20_000;

export class VirtualClock {
  time = Date.parse('2026-11-01T00:00:00Z');
  readonly #loops: number;
  #sleepers: readonly Sleeper[] = [];

  /** @param loops how many loops sleep by this clock */
  constructor(loops = 1) {
    this.#loops = loops;
  }

  readonly until: ClockUntil = (signal) => ({
    now: () => this.time,
    sleep: (milliseconds) =>
      new Promise((resolve, reject) => {
        const abort = () => {
          this.#forget(sleeper);
          reject(new DOMException('stopped', 'AbortError'));
        };
        const wake = () => {
          signal.removeEventListener('abort', abort);
          this.#forget(sleeper);
          resolve();
        };
        const sleeper = { at: this.time + Math.max(0, milliseconds), wake };
        if (signal.aborted) return abort();
        signal.addEventListener('abort', abort, { once: true });
        this.#sleepers = [...this.#sleepers, sleeper];
      }),
  });

  /** Resolves once all loops sleep. */
  async settled(): Promise<void> {
    const limit = Date.now() + patience;
    while (this.#sleepers.length < this.#loops) {
      if (Date.now() > limit) throw new Error(`${this.#sleepers.length} of ${this.#loops} loops came to sleep`);
      await setImmediate();
    }
  }

  /** Lets so many milliseconds pass, sleep by sleep; all loops sleep when it resolves. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds;
    for (;;) {
      await this.settled();
      const next = this.#sleepers.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.time = next.at;
      next.wake();
    }
    this.time = end;
  }

  /** Lets time pass until `holds`, at most so many milliseconds of it. */
  async advanceUntil(holds: () => boolean, most: number): Promise<void> {
    const end = this.time + most;
    await this.settled();
    while (!holds()) {
      if (this.time >= end) throw new Error(`not so within ${most} ms`);
      await this.advance(250);
    }
  }

  #forget(sleeper: Sleeper): void {
    this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
  }
}
