/** Waits for a state: polled, with a bound that is far beyond what is expected. */
export async function until(what: string, holds: () => Promise<boolean> | boolean, withinMs = 15_000): Promise<void> {
  const end = performance.now() + withinMs;
  for (;;) {
    if (await holds()) return;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The same for an assertion: settles when it throws no more, else with its last error. */
export async function untilPasses(assertion: () => Promise<void> | void, withinMs = 15_000): Promise<void> {
  const end = performance.now() + withinMs;
  for (;;) {
    try {
      await assertion();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
