/**
 * What is in flight in the sandbox, so that tests and the demo wait for "nothing moves any more" instead of sleeping.
 */
export class Activity {
  readonly #running = new Map<symbol, string>();
  readonly #sources = new Set<() => string | undefined>();
  readonly #waiters = new Set<() => void>();

  /** Marks the begin of something; the returned function marks its end and may be called more than once. */
  begin(what: string): () => void {
    const token = Symbol(what);
    this.#running.set(token, what);
    return () => {
      if (this.#running.delete(token)) this.poke();
    };
  }

  /** A place where work waits: names it while there is some. It must call `poke` when it may have become empty. */
  watch(source: () => string | undefined): void {
    this.#sources.add(source);
  }

  poke(): void {
    for (const waiter of this.#waiters) waiter();
  }

  /** Everything in flight, named. */
  list(): readonly string[] {
    const waiting = [...this.#sources].flatMap((source) => source() ?? []);
    return [...this.#running.values(), ...waiting];
  }

  /** Resolves with nothing once all is quiet, or with what is still in flight after `timeoutMs`. */
  idle(timeoutMs = 60_000): Promise<readonly string[]> {
    return new Promise((resolve) => {
      let checking = false;
      const done = (left: readonly string[]) => {
        clearTimeout(timer);
        this.#waiters.delete(check);
        resolve(left);
      };
      // One thing's end is often the next one's begin, a turn of the event loop later.
      const check = () => {
        if (checking || this.list().length > 0) return;
        checking = true;
        setImmediate(() =>
          setImmediate(() => {
            checking = false;
            if (this.list().length === 0) done([]);
          }),
        );
      };
      const timer = setTimeout(() => done(this.list()), timeoutMs);
      this.#waiters.add(check);
      check();
    });
  }
}
