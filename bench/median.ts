/** Times a piece of work in turns with another one, so that a machine whose speed drifts is fair to both. */

export interface Timed {
  readonly name: string;
  readonly work: () => unknown;
}

/** Median milliseconds of each, over `rounds` rounds of A, B, A, B, after one round that does not count. */
export async function medians(works: readonly Timed[], rounds: number): Promise<number[]> {
  const times: number[][] = works.map(() => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, { work }] of works.entries()) {
      const begun = performance.now();
      await work();
      if (round > 0) times[at]?.push(performance.now() - begun);
    }
  }
  return times.map((list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN);
}
