/** A packet from every pod to every other, all the time, and what each chapter of the story cost. */

import type { RunningProbe } from '../lab/endpoint.ts';
import type { ProbeReport } from '../lab/endpoint-messages.ts';
import type { Machine } from './machine.ts';

/** Five nodes are twenty pairs: a thousand packets a second, each answered. */
const everyMs = 20;

/** `a>c`, from a's pod to c's and back. */
export type Pair = `${string}>${string}`;

export class Pings {
  readonly #running = new Map<Pair, RunningProbe>();
  readonly #machines = new Set<Machine>();
  /** Of pairs that ended since the last chapter. */
  readonly #ended: [Pair, ProbeReport][] = [];

  /** Waits until the machine's pod and all others reach each other, then begins to count. */
  async add(...added: readonly Machine[]): Promise<void> {
    for (const machine of added) {
      const others = [...this.#machines];
      this.#machines.add(machine);
      const pairs = others.flatMap((other): [Machine, Machine][] => [
        [machine, other],
        [other, machine],
      ]);
      await Promise.all(
        pairs.map(async ([from, to]) => {
          if (!(await from.pod.reaches(to.podIp, { withinMs: 30_000 }))) throw new Error(await unreached(from, to));
          this.#running.set(`${from.name}>${to.name}`, await from.pod.probe(to.podIp, { everyMs }));
        }),
      );
    }
  }

  /** No packet goes to the machine or comes from it any more. */
  async remove(machine: Machine): Promise<void> {
    this.#machines.delete(machine);
    const its = [...this.#running].filter(([pair]) => pair.split('>').includes(machine.name));
    for (const [pair] of its) this.#running.delete(pair);
    for (const [pair, probe] of its) this.#ended.push([pair, await probe.stop()]);
  }

  /** By pair, what became of the packets since the last chapter. */
  async chapter(): Promise<ReadonlyMap<Pair, ProbeReport>> {
    const running = [...this.#running].map(
      async ([pair, probe]): Promise<[Pair, ProbeReport]> => [pair, await probe.lap()],
    );
    return new Map([...this.#ended.splice(0), ...(await Promise.all(running))]);
  }
}

async function unreached(from: Machine, to: Machine): Promise<string> {
  const statuses = await Promise.all([from, to].map((machine) => machine.status()));
  const said = JSON.stringify(statuses, null, 1);
  return `the pod of ${from.name} does not reach that of ${to.name}\n${said}\n${from.on.agent.log}\n${to.on.agent.log}`;
}
