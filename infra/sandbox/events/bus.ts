import type { SandboxEvent } from '../service.ts';
import type { RuleModel } from '../template/rules.ts';
import { type DeliveryOptions, deliver } from './delivery.ts';
import { type Envelope, envelope } from './envelope.ts';
import { targetInput } from './input.ts';
import type { RuleBook } from './rule-book.ts';

/** The default event bus: hands an event to the targets of every rule it matches. */
export class EventBus {
  readonly #book: RuleBook;
  readonly #options: DeliveryOptions;

  constructor(book: RuleBook, options: DeliveryOptions) {
    this.#options = options;
    this.#book = book;
  }

  /** Puts an event on the bus; targets get it soon after. Returns it as they will see it. */
  publish(event: SandboxEvent, id?: string): Envelope {
    const sent = envelope(event, id);
    for (const { rule, matches } of this.#book.entries) {
      if (rule.enabled && matches?.(sent)) void this.hand(rule, sent);
    }
    return sent;
  }

  /** Hands an event to the targets of a rule; resolves once they have it, with the end of what they were asked to do. */
  async hand(rule: RuleModel, event: Envelope): Promise<{ readonly ended: Promise<void> }> {
    const handed = await Promise.all(
      rule.targets.map((target) => deliver(rule, target, targetInput(target.input, event, rule), this.#options)),
    );
    return { ended: Promise.all(handed.map(({ ended }) => ended)).then(() => {}) };
  }
}
