import type { SendToQueue } from './lambda/asynchronous.ts';
import { QueuePoller } from './lambda/queue-poller.ts';
import { StreamPoller } from './lambda/stream-poller.ts';
import type { SandboxState } from './state.ts';
import type { MappingModel } from './template/mappings.ts';
import { TemplateError } from './template/parse.ts';

export interface Poller {
  stop(): void;
}

export interface PollersOptions {
  readonly state: Pick<SandboxState, 'activity' | 'clock' | 'deliveries' | 'dynamodb' | 'lambda' | 'sqs'>;
  readonly send: SendToQueue;
  readonly retryMs: number;
}

/** Starts what the template's event source mappings ask for. Throws for a mapping of a source that does not exist. */
export function startPollers(
  mappings: readonly MappingModel[],
  { state, send, retryMs }: PollersOptions,
): readonly Poller[] {
  const { activity, clock, deliveries, dynamodb, lambda, sqs } = state;
  return mappings.map((mapping) => {
    const pool = lambda.pool(mapping.functionName);
    const queue = sqs.byArn(mapping.sourceArn);
    if (queue) return new QueuePoller({ mapping, queue, pool, activity, deliveries });
    const [, tableName] = /:table\/([^/]+)\/stream\//.exec(mapping.sourceArn) ?? [];
    if (tableName === undefined)
      throw new TemplateError(`${mapping.logicalId}: there is no event source ${mapping.sourceArn}`);
    const { streams } = dynamodb;
    return new StreamPoller({ mapping, pool, clock, send, deliveries, retryMs, streams, tableName, activity });
  });
}
