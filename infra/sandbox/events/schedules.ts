import type { AlarmClock } from '../clock.ts';
import { AwsError } from '../service.ts';
import type { EventBus } from './bus.ts';
import { envelope } from './envelope.ts';
import type { RuleBook } from './rule-book.ts';
import type { Next } from './schedule-expression.ts';

interface Armed {
  readonly expression: string;
  cancel: () => void;
}

/** Rules that run by time. */
export class Schedules {
  readonly #clock: AlarmClock;
  readonly #bus: EventBus;
  readonly #book: RuleBook;
  /** By logical id. */
  readonly #armed = new Map<string, Armed>();
  #cancel = () => {};

  constructor(book: RuleBook, bus: EventBus, clock: AlarmClock) {
    this.#clock = clock;
    this.#bus = bus;
    this.#book = book;
  }

  get names(): readonly string[] {
    return this.#book.entries.flatMap(({ rule, next }) => (next === undefined ? [] : [rule.logicalId]));
  }

  /** Lets the clock drive them; a jump over several runs of one schedule runs it once. */
  start(): void {
    this.#follow();
    const cancel = this.#book.onChange(() => this.#follow());
    this.#cancel = () => void cancel();
  }

  stop(): void {
    this.#cancel();
    for (const { cancel } of this.#armed.values()) cancel();
    this.#armed.clear();
  }

  /** Runs a schedule now; resolves once its targets have the event, with the end of what they were asked to do. */
  async run(logicalId: string): Promise<{ readonly ended: Promise<void> }> {
    const schedule = this.#book.entries.find(({ rule, next }) => next !== undefined && rule.logicalId === logicalId);
    if (!schedule) {
      throw new AwsError(
        'ResourceNotFoundException',
        `There is no schedule ${logicalId}, only ${this.names.join(', ')}.`,
        404,
      );
    }
    const event = envelope({
      source: 'aws.events',
      detailType: 'Scheduled Event',
      time: this.#clock.now(),
      resources: [schedule.rule.arn],
      detail: {},
    });
    return this.#bus.hand(schedule.rule, event);
  }

  /** Arms what is new or runs at other times, and disarms what is gone; the others keep their time. */
  #follow(): void {
    const wanted = new Map(
      this.#book.entries.flatMap(({ rule, next }) =>
        next === undefined || !rule.enabled ? [] : [[rule.logicalId, { expression: rule.schedule ?? '', next }]],
      ),
    );
    for (const [logicalId, { expression, cancel }] of [...this.#armed]) {
      if (wanted.get(logicalId)?.expression === expression) continue;
      cancel();
      this.#armed.delete(logicalId);
    }
    for (const [logicalId, { expression, next }] of wanted) {
      if (this.#armed.has(logicalId)) continue;
      const armed: Armed = { expression, cancel: () => {} };
      this.#armed.set(logicalId, armed);
      this.#arm(logicalId, armed, next);
    }
  }

  #arm(logicalId: string, armed: Armed, next: Next): void {
    const time = next(this.#clock.now());
    if (time === Number.POSITIVE_INFINITY) return;
    armed.cancel = this.#clock.at(time, () => {
      this.#arm(logicalId, armed, next);
      void this.run(logicalId);
    });
  }
}
