import { setTimeout as sleep } from 'node:timers/promises';

/** Looks again until the look succeeds, which is when it returns without throwing; after a generous bound its error counts. */
export async function until<Value>(look: () => Promise<Value> | Value, seconds = 120): Promise<Value> {
  for (const end = Date.now() + seconds * 1000; ; await sleep(200)) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}
