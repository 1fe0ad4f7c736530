import { flag, list, number, type Params, record, records, text } from '../params.ts';
import { eventsOf, type FunctionModel } from './functions.ts';
import { TemplateError } from './parse.ts';
import { checkProperties } from './properties.ts';
import type { Stack } from './stack.ts';

/** An event source mapping of a function: a queue or a table's stream that is polled for it. */
export interface MappingModel {
  readonly logicalId: string;
  readonly functionName: string;
  readonly sourceArn: string;
  readonly batchSize: number;
  /** Event patterns; a record is delivered if any matches, or if there is none. */
  readonly filters: readonly Params[];
  readonly reportsItemFailures: boolean;
  readonly fromStart: boolean;
  readonly bisects: boolean;
  /** -1: without bound */
  readonly retries: number;
  /** -1: without bound */
  readonly maximumAgeSeconds: number;
  readonly onFailureArn?: string;
  readonly maximumConcurrency?: number;
  /** Whether SAM made it of a function's event, and the rights to read the source with it. */
  readonly bySam: boolean;
}

/** `MaximumBatchingWindowInSeconds` is accepted and not waited for: a sandbox delivers what is there at once. */
const known =
  'FunctionName EventSourceArn Stream Queue BatchSize Enabled FilterCriteria FunctionResponseTypes StartingPosition BisectBatchOnFunctionError MaximumRetryAttempts MaximumRecordAgeInSeconds DestinationConfig ScalingConfig MaximumBatchingWindowInSeconds ParallelizationFactor Tags'.split(
    ' ',
  );

/** Mappings that are resources of their own, and those that SAM makes of functions' events; disabled ones left out. */
export function mappingsOf(stack: Stack, functions: readonly FunctionModel[]): readonly MappingModel[] {
  const own = stack.resources
    .filter((resource) => resource.type === 'AWS::Lambda::EventSourceMapping')
    .flatMap(({ logicalId, properties }) => {
      const called = text(properties, 'FunctionName');
      const target = functions.find((one) => one.name === called || one.arn === called);
      if (!target) throw new TemplateError(`${logicalId}: there is no function ${called}`);
      return mappingOf(logicalId, target.name, properties, false);
    });
  const ofEvents = functions.flatMap((model) =>
    eventsOf(model)
      .filter((event) => event.type === 'DynamoDB' || event.type === 'SQS')
      .flatMap((event) => mappingOf(event.logicalId, model.name, event.properties, true)),
  );
  return [...own, ...ofEvents];
}

function mappingOf(
  logicalId: string,
  functionName: string,
  properties: Params,
  bySam: boolean,
): readonly MappingModel[] {
  checkProperties(logicalId, properties, known);
  if (properties['Enabled'] === false) return [];
  const sourceArn = text(properties, 'EventSourceArn') ?? text(properties, 'Stream') ?? text(properties, 'Queue');
  if (sourceArn === undefined) throw new TemplateError(`${logicalId}: an event source is wanted`);
  if ((number(properties, 'ParallelizationFactor') ?? 1) !== 1) {
    throw new TemplateError(`${logicalId}: a ParallelizationFactor above 1 is not understood`);
  }
  const onFailure = text(record(record(properties, 'DestinationConfig') ?? {}, 'OnFailure') ?? {}, 'Destination');
  const maximumConcurrency = number(record(properties, 'ScalingConfig') ?? {}, 'MaximumConcurrency');
  return [
    {
      logicalId,
      functionName,
      sourceArn,
      bySam,
      batchSize: number(properties, 'BatchSize') ?? (sourceArn.includes(':sqs:') ? 10 : 100),
      filters: records(record(properties, 'FilterCriteria') ?? {}, 'Filters').map((filter) =>
        filterOf(logicalId, filter),
      ),
      reportsItemFailures: list(properties, 'FunctionResponseTypes').includes('ReportBatchItemFailures'),
      fromStart: text(properties, 'StartingPosition') === 'TRIM_HORIZON',
      bisects: flag(properties, 'BisectBatchOnFunctionError'),
      retries: number(properties, 'MaximumRetryAttempts') ?? -1,
      maximumAgeSeconds: number(properties, 'MaximumRecordAgeInSeconds') ?? -1,
      ...(onFailure !== undefined && { onFailureArn: onFailure }),
      ...(maximumConcurrency !== undefined && { maximumConcurrency }),
    },
  ];
}

function filterOf(where: string, filter: Params): Params {
  const pattern = text(filter, 'Pattern');
  if (pattern === undefined) throw new TemplateError(`${where}: a filter's Pattern is JSON text`);
  try {
    return JSON.parse(pattern);
  } catch (cause) {
    throw new TemplateError(`${where}: a filter's Pattern is no JSON`, { cause });
  }
}
