/** A clock that stands still but for sleeps, which end at once. */
import type { Clock } from '../../../shared/reconcile/ports.ts';

export class FakeClock implements Clock {
  /** Epoch milliseconds. */
  time: number;
  /** Milliseconds slept in all. */
  slept = 0;
  /** Called after each sleep: what happens elsewhere meanwhile. */
  onSleep: (now: number) => void = () => {};

  constructor(time = Date.parse('2026-11-01T00:00:00Z')) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  async sleep(milliseconds: number): Promise<void> {
    this.advance(milliseconds);
    this.slept += milliseconds;
    this.onSleep(this.time);
  }

  advance(milliseconds: number): void {
    this.time += Math.max(0, milliseconds);
  }
}
