/** The paths that agents say they use, watched all the time: what was there for a second is not forgotten. */
import type { Machine } from './machine.ts';

/** `a>c`: the paths from a to c's lease in the order in which they came, the present one last. */
export class PathsSeen {
  readonly #seen = new Map<string, string[]>();
  readonly #machines = new Set<Machine>();
  readonly #looking: Promise<void>;
  #stopped = false;

  constructor() {
    this.#looking = this.#look();
  }

  watch(...machines: readonly Machine[]): void {
    for (const machine of machines) this.#machines.add(machine);
  }

  forget(machine: Machine): void {
    this.#machines.delete(machine);
    for (const pair of this.#seen.keys()) if (pair.split('>').includes(machine.name)) this.#seen.delete(pair);
  }

  /** What came since the last call, beginning with the path that there was; by pair. */
  take(): ReadonlyMap<string, readonly string[]> {
    const taken = new Map([...this.#seen].map(([pair, paths]) => [pair, [...paths]]));
    for (const paths of this.#seen.values()) paths.splice(0, paths.length - 1);
    return taken;
  }

  /** The present path of each pair. */
  get present(): ReadonlyMap<string, string> {
    return new Map([...this.#seen].map(([pair, paths]) => [pair, paths.at(-1) ?? '']));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#looking;
  }

  async #look(): Promise<void> {
    while (!this.#stopped) {
      await Promise.all([...this.#machines].map((machine) => this.#note(machine)));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #note(machine: Machine): Promise<void> {
    const status = await machine.status();
    if (status === null || !this.#machines.has(machine)) return;
    for (const other of this.#machines) {
      if (other === machine || other.subnet === '') continue;
      const path = status.leases.find(({ subnet }) => subnet === other.subnet)?.path ?? 'none';
      const paths = this.#seen.get(`${machine.name}>${other.name}`) ?? [];
      if (paths.at(-1) !== path) paths.push(path);
      this.#seen.set(`${machine.name}>${other.name}`, paths);
    }
  }
}
