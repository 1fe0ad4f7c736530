/** `publish-lease-changes`: what changed in the leases table, for everybody. */
import { eventsClient, queueClient } from '../../shared/aws/clients.ts';
import { eventBridgePublisher } from '../../shared/aws/publisher.ts';
import { sqsRejects } from '../../shared/aws/rejects.ts';
import { readFunctionConfig } from '../../shared/config/function-config.ts';
import { lambda } from '../middleware.ts';
import { publishLeaseChanges } from './publish-lease-changes.ts';

const config = readFunctionConfig(process.env);
const events = eventsClient();

/** Milliseconds before Lambda ends the process in which no call is made any more. */
const reserve = 3_000;

export const handler = lambda({
  network: config.network,
  rejects: sqsRejects({ client: queueClient(), queueUrl: config.rejectsQueueUrl }),
  work: async (event, run) => {
    const signal = AbortSignal.timeout(Math.max(0, run.context.getRemainingTimeInMillis() - reserve));
    const publisher = eventBridgePublisher({
      client: events,
      busName: config.eventBusName,
      signal,
      onGivenUp: ({ detailType }, reason) => run.error('an event was given up', { detailType, reason }),
    });
    return publishLeaseChanges({ network: config.network, publisher }, event, run);
  },
});
