/** `keep-leases`: the keeper, the only writer of leases. */
import { dynamoClaimStore } from '../../shared/aws/claim-store.ts';
import { documentClient, ec2Client, queueClient } from '../../shared/aws/clients.ts';
import { systemClock } from '../../shared/aws/clock.ts';
import { ec2Instances } from '../../shared/aws/instances.ts';
import { dynamoLeaseBook } from '../../shared/aws/lease-book.ts';
import { sqsRejects } from '../../shared/aws/rejects.ts';
import { ec2RouteTables } from '../../shared/aws/route-tables.ts';
import { listedVpc } from '../../shared/aws/vpc.ts';
import { readFunctionConfig } from '../../shared/config/function-config.ts';
import { lambda } from '../middleware.ts';
import { type KeeperPorts, keepLeases } from './keep-leases.ts';

const config = readFunctionConfig(process.env);
const dynamo = documentClient();
const ec2 = ec2Client();

/** Milliseconds before Lambda ends the process in which no call is made any more. */
const reserve = 3_000;

/** `signal` is aborted when the handler must end: no call outlives it. */
function portsUntil(signal: AbortSignal): KeeperPorts {
  const { network, claimsTable, leasesTable, routeTableIds } = config;
  const tables = ec2RouteTables({ reads: ec2, writes: ec2, signal });
  return {
    network,
    routeTableIds,
    claims: dynamoClaimStore({ client: dynamo, tableName: claimsTable, signal }),
    book: dynamoLeaseBook({ client: dynamo, tableName: leasesTable, network, signal, mends: true }),
    ec2: ec2Instances({ client: ec2, signal }),
    vpc: listedVpc(tables, routeTableIds),
    clock: systemClock({ signal }),
  };
}

export const handler = lambda({
  network: config.network,
  rejects: sqsRejects({ client: queueClient(), queueUrl: config.rejectsQueueUrl }),
  work: async (event, run) => {
    const left = Math.max(0, run.context.getRemainingTimeInMillis() - reserve);
    return keepLeases(portsUntil(AbortSignal.timeout(left)), event, run);
  },
});
