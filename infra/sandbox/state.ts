import type { Activity } from './activity.ts';
import type { AlarmClock } from './clock.ts';
import type { CallLog } from './control/calls.ts';
import type { ActionsByService } from './control/fault.ts';
import type { Faults } from './control/faults.ts';
import type { DynamoDb } from './dynamodb/dynamodb.ts';
import type { Ec2 } from './ec2/ec2.ts';
import type { EventBus } from './events/bus.ts';
import type { Schedules } from './events/schedules.ts';
import type { Lambda } from './lambda/lambda.ts';
import type { Deliveries } from './lambda/queue-poller.ts';
import type { Params } from './params.ts';
import type { Sqs } from './sqs/sqs.ts';

/** The parts of a running sandbox. */
export interface SandboxState {
  readonly clock: AlarmClock;
  readonly activity: Activity;
  readonly ec2: Ec2;
  readonly dynamodb: DynamoDb;
  readonly sqs: Sqs;
  readonly lambda: Lambda;
  readonly bus: EventBus;
  readonly schedules: Schedules;
  readonly faults: Faults;
  readonly calls: CallLog;
  readonly deliveries: Deliveries;
  /** What each service can be asked. */
  readonly actions: ActionsByService;
  /** ARNs of the queues that a function is fed from. */
  readonly consumed: ReadonlySet<string>;
  /** A world file of the present state. */
  world(): Promise<Params>;
}
