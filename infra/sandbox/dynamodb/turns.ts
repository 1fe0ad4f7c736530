/**
 * One piece of work at a time, in the order of asking.
 *
 * Reads take turns as well: a transaction is many writes to the engine below, and a read between two of them would see
 * what DynamoDB never shows.
 */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
