import type { Clock } from '../shared/reconcile/ports.ts';

/** Makes a clock whose sleeps end, by an error, when the signal does: a loop of the agent ends in its sleep. */
export type ClockUntil = (signal: AbortSignal) => Clock;

/** Waits for a loop that was told to end; what it throws because of that is its end, anything else is a defect. */
export async function ended(loop: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await loop;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
