/**
 * The node's claim over its life: written until answered, then renewed every quarter of the lease.
 *
 * Nothing here touches the kernel, and no answer withdraws anything: what a node forwards follows the map alone.
 */
import { randomUUID } from 'node:crypto';
import type { Answer } from '../../shared/domain/answer.ts';
import type { Cidr } from '../../shared/domain/cidr.ts';
import type { Claim } from '../../shared/domain/claim.ts';
import type { Clock } from '../../shared/reconcile/ports.ts';
import { type ClockUntil, ended } from '../stoppable-clock.ts';
import type { ClaimStatus } from './claim-status.ts';
import type { LeaseMemory, RememberedLease } from './lease-memory.ts';
import { LostSubnets, type LostSubnetsOptions } from './lost-subnets.ts';
import type { NodeClaims } from './node-claims.ts';
import { renewAfter, repeatAfter, retryRefused } from './repeat.ts';

export interface ClaimingOptions extends LostSubnetsOptions {
  readonly claims: NodeClaims;
  readonly memory: LeaseMemory;
  readonly instanceArn: string;
  readonly bootId: string | null;
  /** What each claim says beside its id, its revision and its subnet; read anew for each. */
  facts(): Promise<Pick<Claim, 'network' | 'eniId' | 'onLinkPrefix' | 'mtu' | 'agentVersion'>>;
  /** `--subnet`: this one or none. */
  readonly subnet: Cidr | null;
  /** The one that the node had before: rather this one. */
  readonly previous: Cidr | null;
  /** Of the map that was applied last. */
  appliedRevision(): number | null;
  /** Of the map's configuration; null: not known yet. */
  leaseSeconds(): number | null;
  readonly clockUntil: ClockUntil;
  readonly random?: () => number;
}

export interface Claiming {
  status(): ClaimStatus;
  /** Whether an answer is awaited: the map's head is then looked at more often. */
  isWaiting(): boolean;
  /** Ends the loop. The lease stays. */
  close(): Promise<void>;
  /** Ends the loop and hands the lease back (`--release-on-exit`). @throws Refusal when that cannot be said */
  release(): Promise<void>;
}

/** Milliseconds between two looks for the answer. */
const lookEvery = 1_000;
/** Milliseconds of one nap while nothing is due: configuration and interfaces may change meanwhile. */
const nap = 30_000;

type Granted = Extract<Answer, { readonly subnet: Cidr }>;

export function startClaiming(options: ClaimingOptions): Claiming {
  const stop = new AbortController();
  const loop = new ClaimLoop(options, stop.signal);
  // An end that nobody asked for is a defect; it must not pass for a quiet loop.
  const running = ended(loop.run(), stop.signal);
  const close = async () => {
    stop.abort();
    await running;
  };
  return {
    status: () => loop.status(),
    isWaiting: () => loop.isWaiting(),
    close,
    release: async () => {
      await close();
      await handBack(options);
    },
  };
}

/** Milliseconds for the last claim to be written: an instance on its way down has little time. */
const lastWords = 5_000;

/** The keeper needs nothing but the claim; its answer comes when the agent is gone. */
async function handBack({ facts, claims, appliedRevision, log }: ClaimingOptions): Promise<void> {
  const claim: Claim = {
    ...(await facts()),
    claimId: randomUUID(),
    subnet: null,
    revision: appliedRevision(),
    release: true,
  };
  await claims.write(claim, AbortSignal.timeout(lastWords));
  log.info('the lease was handed back');
}

class ClaimLoop {
  readonly #options: ClaimingOptions;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #lost: LostSubnets;
  #wish: Cidr | null;
  #held: RememberedLease | null = null;
  #state: ClaimStatus['state'] = 'claiming';
  #problem: string | null = null;
  /** What was said last of a refusal: the same again, a minute later, is no news. */
  #refusal: string | null = null;
  #written = 0;
  #answered = 0;

  constructor(options: ClaimingOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#clock = options.clockUntil(signal);
    this.#lost = new LostSubnets(options);
    this.#wish = options.subnet ?? options.previous;
  }

  status(): ClaimStatus {
    return {
      state: this.#state,
      subnet: this.#held?.subnet ?? null,
      ipv6Subnet: this.#held?.ipv6Subnet ?? null,
      expiresAt: this.#held?.expiresAt ?? null,
      written: this.#written,
      answered: this.#answered,
      problems: [...(this.#problem === null ? [] : [this.#problem]), ...this.#lost.texts],
    };
  }

  isWaiting(): boolean {
    return this.#state === 'claiming' || this.#state === 'renewing';
  }

  async run(): Promise<void> {
    this.#lost.recall((await this.#recall())?.lost ?? []);
    for (;;) {
      this.#state = this.#held === null ? 'claiming' : 'renewing';
      const answer = await this.#settle();
      if ('subnet' in answer) await this.#adopt(answer);
      else if (this.#dropWish(answer.reason)) continue;
      else this.#refused(answer.reason);
      await this.#untilDue(answer);
    }
  }

  async #recall(): Promise<RememberedLease | null> {
    try {
      const lease = await this.#options.memory.read();
      return lease?.instanceArn === this.#options.instanceArn ? lease : null;
    } catch (error) {
      this.#options.log.warn(`what is remembered of the lease cannot be read: ${messageOf(error)}`);
      return null;
    }
  }

  /** One claim, repeated until its final answer is there. */
  async #settle(): Promise<Answer> {
    const began = this.#clock.now();
    const ids = new Set<string>();
    for (let tries = 1; ; tries += 1) {
      const claimId = randomUUID();
      // Also when the writing fails: its answer alone may have been lost.
      ids.add(claimId);
      const again = this.#clock.now() + repeatAfter(tries, this.#random());
      let standing = await this.#write(claimId);
      for (;;) {
        const left = again - this.#clock.now();
        if (left <= 0) break;
        await this.#clock.sleep(Math.min(lookEvery, left));
        try {
          const answer = await this.#options.claims.readAnswer(this.#signal);
          if (answer === null || !ids.has(answer.claimId)) continue;
          if (answer.status !== 'pending') return this.#settled(answer);
          standing = `pending: ${answer.reason}`;
        } catch (error) {
          standing = `the answer cannot be read: ${messageOf(error)}`;
        }
      }
      const seconds = Math.round((this.#clock.now() - began) / 1000);
      this.#problem = standing ?? 'nobody answered the claim yet';
      const text = `waiting for an answer to the claim for ${seconds} s, ${tries} written: ${this.#problem}`;
      this.#options.log.info(text);
    }
  }

  /** Null, or why it was not written. */
  async #write(claimId: string): Promise<string | null> {
    try {
      const facts = await this.#options.facts();
      const claim: Claim = {
        ...facts,
        claimId,
        subnet: this.#wish,
        revision: this.#options.appliedRevision(),
        release: false,
      };
      await this.#options.claims.write(claim, this.#signal);
      this.#written += 1;
      return null;
    } catch (error) {
      return `the claim cannot be written: ${messageOf(error)}`;
    }
  }

  #settled(answer: Answer): Answer {
    this.#answered += 1;
    this.#problem = null;
    return answer;
  }

  async #adopt({ status, reason, subnet, ipv6Subnet, expiresAt }: Granted): Promise<void> {
    const { log, previous, instanceArn, bootId } = this.#options;
    const before = this.#held?.subnet ?? previous;
    const isNew = this.#held?.subnet.text !== subnet.text;
    this.#state = 'granted';
    this.#refusal = null;
    // Asked for again with each renewal: so it is kept even if the keeper's tables were lost.
    this.#wish = this.#options.subnet ?? subnet;
    if (isNew) log.info(`holds ${subnet.text}${ipv6Subnet === null ? '' : ` and ${ipv6Subnet.text}`}`);
    if (before !== null && before.text !== subnet.text) {
      log.warn(`${before.text} was lost${status === 'lost' && reason !== null ? `: ${reason}` : ''}`);
      this.#lost.add(before);
    }
    this.#lost.regain(subnet);
    this.#held = { instanceArn, bootId, subnet, ipv6Subnet, expiresAt, lost: this.#lost.subnets };
    await this.#remember();
    await this.#lookForLost();
  }

  /** Whether to ask anew, for any subnet: the previous one is a wish, `--subnet` is an order. */
  #dropWish(reason: string): boolean {
    if (this.#wish === null || this.#options.subnet !== null) return false;
    this.#options.log.warn(`${this.#wish.text}, which this node had before, is refused (${reason}): asking for any`);
    this.#wish = null;
    return true;
  }

  #refused(reason: string): void {
    const text = `the claim is refused: ${reason}`;
    if (this.#refusal !== text) this.#options.log.warn(text);
    this.#refusal = text;
    this.#state = 'refused';
    this.#problem = text;
  }

  /** Naps until the next claim is due, with an eye on old addresses. */
  async #untilDue(answer: Answer): Promise<void> {
    const from = this.#clock.now();
    const random = this.#random();
    const period = () => {
      if (!('subnet' in answer)) return retryRefused;
      return renewAfter(this.#options.leaseSeconds() ?? Math.max(60, answer.expiresAt - from / 1000), random);
    };
    for (;;) {
      const left = from + period() - this.#clock.now();
      if (left <= 0) return;
      await this.#clock.sleep(Math.min(nap, left));
      await this.#lookForLost();
    }
  }

  async #lookForLost(): Promise<void> {
    const held = this.#held;
    if (held === null || !(await this.#lost.look(held.subnet))) return;
    this.#held = { ...held, lost: this.#lost.subnets };
    await this.#remember();
  }

  async #remember(): Promise<void> {
    if (this.#held === null) return;
    try {
      await this.#options.memory.write(this.#held);
    } catch (error) {
      this.#options.log.warn(`the lease cannot be remembered: ${messageOf(error)}`);
    }
  }

  #random(): number {
    return (this.#options.random ?? Math.random)();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
