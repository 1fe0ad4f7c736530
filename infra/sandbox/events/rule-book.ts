/** The rules of the default bus: the template's, and those that calls make. */
import type { RuleModel } from '../template/rules.ts';
import { compilePattern, type Matcher } from './pattern.ts';
import { type Next, scheduleExpression } from './schedule-expression.ts';

export interface Entry {
  readonly rule: RuleModel;
  /** Undefined: no event concerns it. */
  readonly matches?: Matcher;
  /** Undefined: no time concerns it. */
  readonly next?: Next;
}

export class RuleBook {
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<() => void>();

  /** Throws for a rule whose pattern or schedule EventBridge would refuse. */
  constructor(rules: readonly RuleModel[]) {
    for (const rule of rules) this.put(rule);
  }

  get entries(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  find(name: string): RuleModel | undefined {
    return this.#entries.get(name)?.rule;
  }

  put(rule: RuleModel): void {
    const { logicalId, pattern, schedule } = rule;
    this.#entries.set(rule.name, {
      rule,
      ...(pattern !== undefined && { matches: compilePattern(pattern, logicalId) }),
      ...(schedule !== undefined && { next: scheduleExpression(schedule) }),
    });
    this.#tell();
  }

  delete(name: string): void {
    if (this.#entries.delete(name)) this.#tell();
  }

  /** Told after every change. Returns its cancellation. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
