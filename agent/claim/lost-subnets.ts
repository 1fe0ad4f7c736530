/** The subnets that this node held once, watched until no interface has an address of them any more. */
import type { Cidr } from '../../shared/domain/cidr.ts';
import type { AgentLog } from '../reconcile/ports.ts';
import { lostMessage, type OldAddress } from './lost-subnet.ts';

export interface LostSubnetsOptions {
  /** Addresses inside a subnet that the host's interfaces have now. */
  oldAddresses(subnet: Cidr): Promise<readonly OldAddress[]>;
  readonly log: AgentLog;
}

export class LostSubnets {
  readonly #options: LostSubnetsOptions;
  #subnets: readonly Cidr[] = [];
  #texts: readonly string[] = [];

  constructor(options: LostSubnetsOptions) {
    this.#options = options;
  }

  get subnets(): readonly Cidr[] {
    return this.#subnets;
  }

  /** What the operator has to do, a line for each subnet of which something is left. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  recall(subnets: readonly Cidr[]): void {
    this.#subnets = subnets;
  }

  add(subnet: Cidr): void {
    this.#subnets = [...this.#subnets.filter(({ text }) => text !== subnet.text), subnet];
  }

  /** It is this node's again. */
  regain(subnet: Cidr): void {
    this.#subnets = this.#subnets.filter(({ text }) => text !== subnet.text);
  }

  /**
   * Says what is left of each, once for each change, and forgets one of which nothing is left. `now` is the subnet that
   * the node holds instead.
   *
   * @returns whether one was forgotten
   */
  async look(now: Cidr): Promise<boolean> {
    const { log } = this.#options;
    const texts: string[] = [];
    const left: Cidr[] = [];
    for (const subnet of this.#subnets) {
      try {
        const old = await this.#options.oldAddresses(subnet);
        const text = lostMessage(subnet, now, old);
        if (old.length === 0) {
          log.info(text);
          continue;
        }
        texts.push(text);
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        log.warn(`whether an interface still has addresses of ${subnet.text}: ${problem}`);
      }
      left.push(subnet);
    }
    for (const text of texts) if (!this.#texts.includes(text)) log.warn(text);
    this.#texts = texts;
    const forgot = left.length < this.#subnets.length;
    this.#subnets = left;
    return forgot;
  }
}
