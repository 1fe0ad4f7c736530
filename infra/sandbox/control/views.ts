import type { Params } from '../params.ts';
import type { SandboxState } from '../state.ts';

/** Every queue by its logical id; of those that nothing is fed from also the messages. */
export function queuesView({ sqs, consumed }: SandboxState): Params {
  const entries = sqs.queues.map((queue) => {
    const { messages, model } = queue;
    const waiting = messages.filter((message) => queue.isVisible(message)).length;
    const shown = messages.map(({ body, attributes, receiveCount }) => ({ body, attributes, receiveCount }));
    const view = { name: model.name, arn: model.arn, waiting, inFlight: messages.length - waiting };
    return [model.logicalId, consumed.has(model.arn) ? view : { ...view, messages: shown }];
  });
  return Object.fromEntries(entries);
}

/** Every function by its logical id, with the last lines it logged (`?lines=50`). */
export function functionsView({ lambda }: SandboxState, { query }: { readonly query: URLSearchParams }): Params {
  const lines = Number(query.get('lines') ?? 50);
  const entries = lambda.pools.map(({ model, invocations, errors, running, processes, log }) => [
    model.logicalId,
    { name: model.name, invocations, errors, running, processes, log: log.slice(-lines) },
  ]);
  return Object.fromEntries(entries);
}
