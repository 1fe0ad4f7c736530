import type { Activity } from '../activity.ts';
import type { AlarmClock } from '../clock.ts';
import { AwsError } from '../service.ts';
import type { RuleModel, TargetModel } from '../template/rules.ts';

/** What a rule puts into a queue. */
interface RuleMessage {
  readonly body: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly groupId?: string | undefined;
}

/** Where events go. Both throw an `AwsError` when the target cannot be reached. */
export interface TargetPort {
  /** Hands an event to a function; resolves with the asynchronous invocation's end, once it is accepted. */
  invoke(functionArn: string, payload: string): Promise<{ readonly ended: Promise<void> }>;
  send(ruleArn: string, queueArn: string, message: RuleMessage): Promise<void>;
}

export interface DeliveryOptions {
  readonly clock: AlarmClock;
  readonly activity: Activity;
  readonly targets: TargetPort;
  /** The first wait before a target is tried again, in ms; each further one is twice as long, up to a minute. */
  readonly retryMs: number;
}

/** Errors that trying again cannot heal: they go to the dead-letter queue at once. */
const permanent = new Set([
  'ResourceNotFoundException',
  'QueueDoesNotExist',
  'AccessDeniedException',
  // A FIFO queue that cannot tell two messages apart, a body that is too long.
  'InvalidParameterValue',
  'MissingParameter',
]);

/**
 * Delivers to one target with its retry policy; what cannot be delivered goes to its dead-letter queue, as EventBridge
 * sends it there. Resolves, once the target or the dead-letter queue has it, with the end of the invocation.
 */
export async function deliver(
  rule: RuleModel,
  target: TargetModel,
  input: string,
  options: DeliveryOptions,
): Promise<{ readonly ended: Promise<void> }> {
  const { clock } = options;
  const end = options.activity.begin(`delivery of ${rule.logicalId} to ${target.arn}`);
  const begun = clock.now();
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        return await once(rule, target, input, options.targets);
      } catch (error) {
        if (!(error instanceof AwsError)) throw error;
        const wait = Math.min(options.retryMs * 2 ** attempt, 60_000);
        const exhausted = exhaustion(error, attempt, clock.now() + wait - begun, target);
        if (exhausted !== undefined) {
          await bury(rule, target, input, { error, attempt, exhausted }, options.targets);
          return { ended: Promise.resolve() };
        }
        await new Promise<void>((resolve) => clock.at(clock.now() + wait, resolve));
      }
    }
  } finally {
    end();
  }
}

async function once(
  rule: RuleModel,
  target: TargetModel,
  input: string,
  targets: TargetPort,
): Promise<{ ended: Promise<void> }> {
  if (target.arn.includes(':function:')) return targets.invoke(target.arn, input);
  await targets.send(rule.arn, target.arn, { body: input, groupId: target.messageGroupId });
  return { ended: Promise.resolve() };
}

function exhaustion(error: AwsError, attempt: number, ageMs: number, target: TargetModel): string | undefined {
  if (permanent.has(error.code)) return '';
  if (attempt >= target.retries) return 'MaximumRetryAttempts';
  return ageMs > target.maximumAgeSeconds * 1000 ? 'MaximumEventAgeInSeconds' : undefined;
}

async function bury(
  rule: RuleModel,
  target: TargetModel,
  input: string,
  failure: { error: AwsError; attempt: number; exhausted: string },
  targets: TargetPort,
): Promise<void> {
  if (target.deadLetterArn === undefined) return;
  const noResource = failure.error.code === 'ResourceNotFoundException' || failure.error.code === 'QueueDoesNotExist';
  const attributes = {
    RULE_ARN: rule.arn,
    TARGET_ARN: target.arn,
    ERROR_CODE: noResource ? 'NO_RESOURCE' : failure.error.code,
    ERROR_MESSAGE: failure.error.message,
    RETRY_ATTEMPTS: String(failure.attempt),
    ...(failure.exhausted !== '' && { EXHAUSTED_RETRY_CONDITION: failure.exhausted }),
  };
  try {
    await targets.send(rule.arn, target.deadLetterArn, { body: input, attributes });
  } catch (error) {
    // A dead-letter queue that is gone or takes nothing: the event is lost, as it is on AWS.
    if (!(error instanceof AwsError)) throw error;
  }
}
