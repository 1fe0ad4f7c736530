import { resolve } from 'node:path';
import { number, type Params, record, text } from '../params.ts';
import { TemplateError } from './parse.ts';
import { checkProperties } from './properties.ts';
import { deadLetterArn } from './queues.ts';
import type { Resource, Stack } from './stack.ts';

/** What becomes of an asynchronous invocation that fails. */
interface AsynchronousModel {
  readonly retries: number;
  readonly maximumAgeSeconds: number;
  readonly onFailureArn?: string;
  readonly deadLetterArn?: string;
}

export interface FunctionModel {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  /** Absolute path of the bundle's folder. */
  readonly codeFolder: string;
  /** `file.export` */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly reservedConcurrency?: number;
  readonly asynchronous: AsynchronousModel;
  readonly properties: Params;
}

const known =
  'FunctionName CodeUri Handler Runtime Architectures Timeout MemorySize Environment Policies Role PermissionsBoundary Events EventInvokeConfig ReservedConcurrentExecutions DeadLetterQueue Description Tags Tracing LoggingConfig EphemeralStorage RolePath RecursiveLoop PropagateTags'.split(
    ' ',
  );

/** The functions of the template; `folder` is the template's own, from which `CodeUri` counts. */
export function functionsOf(stack: Stack, folder: string): readonly FunctionModel[] {
  return stack.resources
    .filter((resource) => resource.type === 'AWS::Serverless::Function')
    .map((resource) => functionOf(resource, stack, folder));
}

function functionOf(resource: Resource, stack: Stack, folder: string): FunctionModel {
  const { logicalId, name, arn, properties } = resource;
  checkProperties(logicalId, properties, known);
  const code = text(properties, 'CodeUri');
  const handler = text(properties, 'Handler');
  if (code === undefined || handler === undefined)
    throw new TemplateError(`${logicalId}: CodeUri and Handler are wanted`);
  const variables = record(record(properties, 'Environment') ?? {}, 'Variables') ?? {};
  const reservedConcurrency = number(properties, 'ReservedConcurrentExecutions');
  return {
    logicalId,
    name,
    arn,
    codeFolder: resolve(folder, code),
    handler,
    timeoutSeconds: number(properties, 'Timeout') ?? 3,
    memoryMegabytes: number(properties, 'MemorySize') ?? 128,
    environment: Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, String(value)])),
    ...(reservedConcurrency !== undefined && { reservedConcurrency }),
    asynchronous: asynchronousOf(resource, stack),
    properties,
  };
}

function asynchronousOf({ name, arn, properties }: Resource, stack: Stack): AsynchronousModel {
  const separate = stack.resources.find(
    (one) =>
      one.type === 'AWS::Lambda::EventInvokeConfig' && [name, arn].includes(text(one.properties, 'FunctionName') ?? ''),
  );
  const config = record(properties, 'EventInvokeConfig') ?? separate?.properties ?? {};
  const onFailure = record(record(config, 'DestinationConfig') ?? {}, 'OnFailure');
  const onFailureArn = onFailure && text(onFailure, 'Destination');
  const deadLetter = deadLetterArn(properties, 'DeadLetterQueue');
  return {
    retries: number(config, 'MaximumRetryAttempts') ?? 2,
    maximumAgeSeconds: number(config, 'MaximumEventAgeInSeconds') ?? 21_600,
    ...(onFailureArn !== undefined && { onFailureArn }),
    ...(deadLetter !== undefined && { deadLetterArn: deadLetter }),
  };
}

export interface FunctionEvent {
  /** `<function's logical id><event's name>`, as SAM names the resource it makes of it. */
  readonly logicalId: string;
  readonly type: string;
  readonly properties: Params;
}

/** The entries of a function's `Events`. Throws for a type of event that the sandbox cannot deliver. */
export function eventsOf(model: FunctionModel): readonly FunctionEvent[] {
  return Object.entries(record(model.properties, 'Events') ?? {}).map(([name, event]) => {
    const type = text(event as Params, 'Type') ?? '';
    if (!['DynamoDB', 'SQS', 'EventBridgeRule', 'CloudWatchEvent', 'Schedule', 'ScheduleV2'].includes(type)) {
      throw new TemplateError(`${model.logicalId}.Events.${name}: the event type ${type} is not understood`);
    }
    return { logicalId: model.logicalId + name, type, properties: record(event as Params, 'Properties') ?? {} };
  });
}
