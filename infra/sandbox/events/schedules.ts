import type { AlarmClock } from '../clock.ts';
import { AwsError } from '../service.ts';
import type { RuleModel } from '../template/rules.ts';
import type { EventBus } from './bus.ts';
import { envelope } from './envelope.ts';
import { type Next, scheduleExpression } from './schedule-expression.ts';

/** Rules that run by time. */
export class Schedules {
  readonly #clock: AlarmClock;
  readonly #bus: EventBus;
  readonly #schedules: ReadonlyMap<string, { readonly rule: RuleModel; readonly next: Next }>;
  readonly #alarms = new Map<string, () => void>();

  constructor(rules: readonly RuleModel[], bus: EventBus, clock: AlarmClock) {
    this.#clock = clock;
    this.#bus = bus;
    this.#schedules = new Map(
      rules.flatMap((rule) =>
        rule.schedule === undefined
          ? []
          : [[rule.logicalId, { rule, next: scheduleExpression(rule.schedule) }] as const],
      ),
    );
  }

  get names(): readonly string[] {
    return [...this.#schedules.keys()];
  }

  /** Lets the clock drive them; a jump over several runs of one schedule runs it once. */
  start(): void {
    for (const [logicalId, { rule, next }] of this.#schedules) if (rule.enabled) this.#arm(logicalId, next);
  }

  stop(): void {
    for (const cancel of this.#alarms.values()) cancel();
    this.#alarms.clear();
  }

  /** Runs a schedule now; resolves once its targets have the event, with the end of what they were asked to do. */
  async run(logicalId: string): Promise<{ readonly ended: Promise<void> }> {
    const schedule = this.#schedules.get(logicalId);
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

  #arm(logicalId: string, next: Next): void {
    const time = next(this.#clock.now());
    if (time === Number.POSITIVE_INFINITY) return;
    const cancel = this.#clock.at(time, () => {
      this.#arm(logicalId, next);
      void this.run(logicalId);
    });
    this.#alarms.set(logicalId, cancel);
  }
}
