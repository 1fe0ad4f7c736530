import { number, type Params, record, records, text } from '../params.ts';
import { sandboxAccount, sandboxRegion } from '../service.ts';
import { eventsOf, type FunctionModel } from './functions.ts';
import { TemplateError } from './parse.ts';
import { checkProperties } from './properties.ts';
import { deadLetterArn } from './queues.ts';
import type { Resource, Stack } from './stack.ts';

/** What a target is handed: the whole event unless one of these says otherwise. */
export interface InputModel {
  readonly constant?: string;
  readonly path?: string;
  readonly transformer?: { readonly paths: Readonly<Record<string, string>>; readonly template: string };
}

export interface TargetModel {
  readonly id: string;
  /** As `ListTargetsByRule` shows it. */
  readonly given: Params;
  readonly arn: string;
  readonly input: InputModel;
  readonly messageGroupId?: string;
  readonly retries: number;
  readonly maximumAgeSeconds: number;
  readonly deadLetterArn?: string;
}

export interface RuleModel {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  readonly description?: string;
  readonly enabled: boolean;
  readonly pattern?: Params;
  /** `rate(...)`, `cron(...)` or `at(...)` */
  readonly schedule?: string;
  readonly targets: readonly TargetModel[];
}

const ofRule = [
  'Name',
  'Description',
  'EventPattern',
  'ScheduleExpression',
  'State',
  'Targets',
  'EventBusName',
  'Tags',
];
/** What of a target is understood, in a template and by `PutTargets`. */
export const ofTarget: readonly string[] = [
  'Id',
  'Arn',
  'RoleArn',
  'Input',
  'InputPath',
  'InputTransformer',
  'SqsParameters',
  'RetryPolicy',
  'DeadLetterConfig',
];
const ofSchedule = [
  'Name',
  'Description',
  'ScheduleExpression',
  'ScheduleExpressionTimezone',
  'State',
  'FlexibleTimeWindow',
  'GroupName',
  'Target',
];
const ofEvent =
  'Pattern Schedule ScheduleExpression Input InputPath InputTransformer RetryPolicy DeadLetterConfig EventBusName RuleName Name Description State Enabled Target FlexibleTimeWindow RoleArn'.split(
    ' ',
  );

/** Rules and schedules: resources of their own, and those that SAM makes of functions' events. */
export function rulesOf(stack: Stack, functions: readonly FunctionModel[]): readonly RuleModel[] {
  const own = stack.resources.flatMap((resource) => {
    if (resource.type === 'AWS::Events::Rule') return [ruleOf(resource)];
    return resource.type === 'AWS::Scheduler::Schedule' ? [scheduleOf(resource)] : [];
  });
  return [...own, ...functions.flatMap((model) => ofFunction(model, stack.name))];
}

function ruleOf({ logicalId, name, arn, properties }: Resource): RuleModel {
  checkProperties(logicalId, properties, ofRule);
  checkBus(logicalId, properties);
  const targets = records(properties, 'Targets').map((target) => {
    checkProperties(`${logicalId}.Targets`, target, ofTarget);
    return targetOf(String(target['Arn']), target);
  });
  return { logicalId, name, arn, ...conditionOf(properties, 'EventPattern'), targets };
}

function scheduleOf({ logicalId, name, arn, properties }: Resource): RuleModel {
  checkProperties(logicalId, properties, ofSchedule);
  const target = record(properties, 'Target') ?? {};
  return {
    logicalId,
    name,
    arn,
    ...conditionOf(properties),
    targets: [targetOf(String(target['Arn']), target)],
  };
}

function ofFunction(model: FunctionModel, stackName: string): readonly RuleModel[] {
  return eventsOf(model)
    .filter((event) => event.type !== 'DynamoDB' && event.type !== 'SQS')
    .map(({ logicalId, properties }) => {
      checkProperties(logicalId, properties, ofEvent);
      checkBus(logicalId, properties);
      const name = text(properties, 'RuleName') ?? text(properties, 'Name') ?? `${stackName}-${logicalId}`;
      const arn = `arn:aws:events:${sandboxRegion}:${sandboxAccount}:rule/${name}`;
      return {
        logicalId,
        name,
        arn,
        ...conditionOf(properties, 'Pattern'),
        targets: [targetOf(model.arn, { Id: `${logicalId}LambdaTarget`, ...properties })],
      };
    });
}

function conditionOf(properties: Params, patternKey = ''): Pick<RuleModel, 'enabled' | 'pattern' | 'schedule'> {
  const pattern = record(properties, patternKey);
  const schedule = text(properties, 'ScheduleExpression') ?? text(properties, 'Schedule');
  const enabled = text(properties, 'State') !== 'DISABLED' && properties['Enabled'] !== false;
  return { enabled, ...(pattern && { pattern }), ...(schedule !== undefined && { schedule }) };
}

/** `properties` as the template and `PutTargets` spell them. */
export function targetOf(arn: string, properties: Params): TargetModel {
  const retry = record(properties, 'RetryPolicy') ?? {};
  const group = text(record(properties, 'SqsParameters') ?? {}, 'MessageGroupId');
  const deadLetter = deadLetterArn(properties);
  const given = Object.entries({ ...properties, Arn: arn }).filter(([key]) => ofTarget.includes(key));
  return {
    id: text(properties, 'Id') ?? arn,
    given: Object.fromEntries(given.map(([key, value]) => [key, key === 'Input' ? asText(value) : value])),
    arn,
    input: inputOf(properties),
    retries: number(retry, 'MaximumRetryAttempts') ?? 185,
    maximumAgeSeconds: number(retry, 'MaximumEventAgeInSeconds') ?? 86_400,
    ...(group !== undefined && { messageGroupId: group }),
    ...(deadLetter !== undefined && { deadLetterArn: deadLetter }),
  };
}

function inputOf(properties: Params): InputModel {
  const constant = properties['Input'];
  const path = text(properties, 'InputPath');
  const transformer = record(properties, 'InputTransformer');
  if (constant !== undefined) return { constant: asText(constant) };
  if (path !== undefined) return { path };
  if (!transformer) return {};
  const paths = Object.entries(record(transformer, 'InputPathsMap') ?? {}).map(([key, value]) => [key, String(value)]);
  return { transformer: { paths: Object.fromEntries(paths), template: text(transformer, 'InputTemplate') ?? '' } };
}

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function checkBus(where: string, properties: Params): void {
  const bus = text(properties, 'EventBusName');
  if (bus === undefined || bus === 'default' || bus.endsWith(':event-bus/default')) return;
  throw new TemplateError(`${where}: the event bus ${bus} does not exist, only the default one`);
}
