import type { SandboxEvent } from '../service.ts';
import type { RuleModel } from '../template/rules.ts';
import { type DeliveryOptions, deliver } from './delivery.ts';
import { type Envelope, envelope } from './envelope.ts';
import { targetInput } from './input.ts';
import { compilePattern, type Matcher } from './pattern.ts';

/** The default event bus: hands an event to the targets of every rule it matches. */
export class EventBus {
  readonly #rules: readonly { readonly rule: RuleModel; readonly matches: Matcher }[];
  readonly #options: DeliveryOptions;

  /** Throws for a rule whose pattern EventBridge would refuse. */
  constructor(rules: readonly RuleModel[], options: DeliveryOptions) {
    this.#options = options;
    this.#rules = rules.flatMap((rule) =>
      rule.pattern && rule.enabled ? [{ rule, matches: compilePattern(rule.pattern, rule.logicalId) }] : [],
    );
  }

  /** Puts an event on the bus; targets get it soon after. Returns it as they will see it. */
  publish(event: SandboxEvent, id?: string): Envelope {
    const sent = envelope(event, id);
    for (const { rule, matches } of this.#rules) if (matches(sent)) void this.hand(rule, sent);
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
