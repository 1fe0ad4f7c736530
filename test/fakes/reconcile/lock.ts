/** The lock in memory. */
import type { Lock } from '../../../shared/reconcile/ports.ts';
import { Faults } from './faults.ts';

export class FakeLock implements Lock {
  readonly faults = new Faults();
  held: { readonly holder: string; readonly expiresAt: number } | null = null;

  tryTake(holder: string, now: number, expiresAt: number): Promise<boolean> {
    return this.faults.run('PutItem', 'lock', () => {
      if (this.held !== null && this.held.holder !== holder && this.held.expiresAt > now) return false;
      this.held = { holder, expiresAt };
      return true;
    });
  }

  release(holder: string): Promise<void> {
    return this.faults.run('DeleteItem', 'lock', () => {
      if (this.held?.holder === holder) this.held = null;
    });
  }
}
